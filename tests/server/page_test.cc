// A person's browser: from the link of `gt open` to a page that is signed in, and what other pages and ports get of it.
#include <algorithm>

#include "net/connection.h"
#include "server/http_asking.h"
#include "store/db/sqlite.h"

namespace townpost {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

/// An answer as it came.
struct Shown {
  int status = 0;
  std::string head;
  std::string body;
  std::string header(std::string_view name) const {
    const auto at = lower_ascii(head).find(cat("\r\n", name, ": "));
    if (at == std::string::npos) return {};
    const auto from = at + name.size() + 4;
    return head.substr(from, head.find("\r\n", from) - from);
  }
};

class Page : public HttpApi {
 protected:
  Shown exchange(const std::string& method, const std::string& target, const Headers& headers = {},
                 const std::string& body = "") const {
    std::string text = cat(method, " ", target, " HTTP/1.1\r\nConnection: close\r\n");
    const bool names_host = std::any_of(headers.begin(), headers.end(), [](auto& one) { return one.first == "Host"; });
    if (!names_host) text += cat("Host: ", host(), "\r\n");
    for (const auto& [name, value] : headers) text += cat(name, ": ", value, "\r\n");
    if (!body.empty()) text += cat("Content-Type: application/json\r\nContent-Length: ", body.size(), "\r\n");
    const auto deadline = Deadline::in(std::chrono::seconds(20));
    const auto connection = plain_dialer().dial(*Url::parse(url()), deadline);
    EXPECT_TRUE(connection.has_value()) << connection.error().message;
    EXPECT_TRUE((*connection)->send(cat(text, "\r\n", body), deadline).has_value());
    std::string all;
    while ((*connection)->receive(all, deadline).value_or(false)) {
    }
    EXPECT_TRUE(all.starts_with("HTTP/1.1 ")) << all;
    const auto end = std::min(all.find("\r\n\r\n"), all.size());
    return {.status = std::atoi(all.substr(std::min<std::size_t>(9, all.size())).c_str()),
            .head = all.substr(0, std::min(end + 2, all.size())),
            .body = all.substr(std::min(end + 4, all.size()))};
  }
  Shown get(const std::string& target, const Headers& headers = {}) const { return exchange("GET", target, headers); }
  std::string host() const { return url().substr(url().find("//") + 2); }
  /// The link that `gt open` prints, without the server's name.
  std::string link() const { return text_at(town.json({"open", "--as", "overseer"}), "url").substr(url().size()); }

  /// What a browser that followed the link keeps.
  struct SignedIn {
    std::string place;
    std::string cookie;  ///< name and value
    std::string rules;   ///< what else it was told of the cookie
    Headers shown() const { return {{"Cookie", cookie}}; }
  };
  SignedIn sign_in() const {
    const auto opened = get(link());
    EXPECT_EQ(opened.status, 303) << opened.head << opened.body;
    const auto cookie = opened.header("set-cookie");
    const auto end = std::min(cookie.find(';'), cookie.size());
    return {opened.header("location"), cookie.substr(0, end), cookie.substr(end)};
  }
};

TEST_F(Page, OfALinkIsSignedInAndTheLinkWorksOnce) {
  const auto target = link();
  const auto opened = get(target);
  EXPECT_EQ(opened.status, 303);
  EXPECT_EQ(get(target).status, 403);
  const auto page = sign_in();
  const auto shown = get(page.place, page.shown());
  EXPECT_EQ(shown.status, 200);
  EXPECT_NE(shown.body.find("You are signed in as the human."), std::string::npos) << shown.body;
  EXPECT_EQ(get(page.place + "openapi.json", page.shown()).status, 200);
  EXPECT_EQ(get(page.place + "api/mail", page.shown()).status, 200);
  EXPECT_EQ(get(page.place + "api/nothing", page.shown()).status, 404);
}

TEST_F(Page, SendsMailAsTheHumanAndNoPageOfAnotherSiteOrPortDoes) {
  const auto page = sign_in();
  const auto send = [&](const Headers& more) {
    auto headers = page.shown();
    headers.insert(headers.end(), more.begin(), more.end());
    return exchange("POST", page.place + "api/mail", headers, R"({"to":"bob","subject":"Hi","body":"there"})");
  };
  EXPECT_EQ(send({{"Origin", url()}}).status, 201);
  EXPECT_EQ(send({}).status, 403) << "nobody says which page it came from";
  for (const auto* other : {"http://evil.example", "http://127.0.0.1:1", "http://localhost", "null"})
    EXPECT_EQ(send({{"Origin", other}}).status, 403) << other;
  EXPECT_EQ(inbox_ids(town, "bob").size(), 1u);
}

TEST_F(Page, KeepsItsCookieFromEveryOtherPortOfTheMachine) {
  const auto page = sign_in();
  // Ports share the cookies of a machine, so its path is what others would have to know.
  EXPECT_NE(page.rules.find(cat("; Path=", page.place)), std::string::npos) << page.rules;
  EXPECT_GE(page.place.size(), 32u) << "128 bits";
  EXPECT_NE(page.place, sign_in().place);
  for (const auto* rule : {"; HttpOnly", "; SameSite=Strict"})
    EXPECT_NE(page.rules.find(rule), std::string::npos) << page.rules;
  EXPECT_EQ(page.rules.find("Domain"), std::string::npos) << page.rules;
  const auto secret = page.cookie.substr(page.cookie.find('=') + 1);
  for (const auto& one : texts_in(town.json({"token", "list", "--as", "overseer"}), "id"))
    EXPECT_EQ(page.place.find(one.substr(one.find('-') + 1)), std::string::npos) << "ids are shown to others";
  for (const auto& shown : {get(page.place, page.shown()), get(page.place + "api/mail", page.shown())}) {
    EXPECT_EQ(shown.body.find(page.place), std::string::npos);
    EXPECT_EQ(shown.body.find(secret), std::string::npos);
  }
  EXPECT_EQ(get(page.place, page.shown()).header("referrer-policy"), "no-referrer");
}

TEST_F(Page, OfNobodySaysHowToSignInAndLoadsNothing) {
  for (const auto& headers : {Headers{}, Headers{{"Cookie", "townpost_page=gt_page-00000000_nothing"}}}) {
    const auto shown = get("/", headers);
    EXPECT_EQ(shown.status, 200);
    EXPECT_EQ(shown.header("content-type"), "text/html; charset=utf-8");
    EXPECT_TRUE(shown.header("content-security-policy").starts_with("default-src 'none'")) << shown.head;
    EXPECT_NE(shown.body.find("You are not signed in"), std::string::npos) << shown.body;
    for (const auto* loaded : {"<script", "<style", "<link", "<img", "<iframe", "://", "style=", "onclick"})
      EXPECT_EQ(shown.body.find(loaded), std::string::npos) << loaded;
  }
  EXPECT_EQ(get("/p/0123456789abcdef0123456789abcdef/").status, 200) << "as anybody's";
  EXPECT_EQ(get("/p/0123456789abcdef0123456789abcdef/api/mail").status, 401);
}

TEST_F(Page, IsOpenedByNoNameThatIsNotTheServers) {
  const auto target = link();
  const Headers rebound = {{"Host", cat("evil.example", host().substr(host().rfind(':')))}};
  EXPECT_EQ(get("/", rebound).status, 403);
  EXPECT_EQ(get(target, rebound).status, 403);
  EXPECT_EQ(get(target).status, 303) << "the code was spent on another's page";
}

TEST_F(Page, ALinkThatIsNoneWaitsForNobodyAndTakesNobodysTurn) {
  auto other = SqliteDatabase::open(town.store(), SqliteDatabase::Mode::existing).value();
  ASSERT_TRUE(other->begin(Access::write).has_value());
  for (const auto* code : {"", "nonsense", "gt_code-00000000_nothing"})
    EXPECT_EQ(get(cat("/open?code=", code)).status, 403) << code;
  other->rollback();
}

}  // namespace
}  // namespace townpost
