#pragma once

namespace townpost {

/// What is typed on both stores: a command a line, "quoted words", `> x` keeps the answer's id as $x.
inline constexpr const char* kScript = R"script(
# Rigs, agents, names
rig add beads . --prefix be
rig add alpha . --target trunk --test-command "make test"
rig add beads .
rig add crew .
rig list
rig show alpha
rig show nowhere
agent add alice --description "writes – é"
agent add bob --session tmux:%7
agent add carol
agent add beads/crew/max
agent add beads/polecats/nux
agent add beads/polecats/max
agent add alpha/polecats/ace
agent add nowhere/crew/x
agent add mayor
agent add "bad name"
agent list
agent show alice
agent show max
agent show nobody
whoami
whoami --as alice
whoami --as nobody
agent alias carol caroline
agent show carol
mail directory

# Mail
mail send alice -s Hello -m "first body" --as bob > m1
mail send alice -s Hello -m "first body" --as bob
mail send alice bob caroline -s "To three" -m x > m2
mail send alice -s Urgent --urgent -m now > m3
mail send alice -s Low --priority low -m later > m4
mail send alice -s Task --type task --ack -m "please" > m5
mail send alice -s Pinned --pinned -m stays > m6
mail send alice -s Wisp --wisp -m gone > m7
mail send alice -s Keyed --key k1 -m same --as bob > m8
mail send alice -s Keyed --key k1 -m same --as bob
mail send alice -s Keyed --key k1 -m other --as bob
mail send bob -s Copy --cc alice --cc mayor -m x --as caroline > m9
mail send max -s Ambiguous -m x
mail send beads/max -s Ambiguous -m x
mail send beads/crew/max -s Exact -m x
mail send ace -s Bare -m x
mail send @polecats -s Pattern -m x
mail send */witness -s Wildcard -m x
mail send beads/crew/* -s Wildcard -m x
mail send @nothing -s x -m ""
mail send alicee -s x -m ""
mail send newbie -s x --create -m ""
mail send alice -m "no subject"
mail send -s "no recipient" -m ""
mail send alice -s x --priority 9 -m ""
mail send alice -s x --reply-by soon -m ""
mail send alice -s Answer --reply-by 2h -m x --as bob > m10
mail send alice -s Ünïcødé -m "日本語 «text» 🚀" > m11
mail inbox --as alice
mail inbox --unread --limit 2 --as alice
mail inbox --from bob --as alice
mail inbox --type task --as alice
mail inbox --type nonsense --as alice
mail inbox --limit 0 --as alice
mail inbox --cursor 5 --as alice
mail inbox alice --as bob
mail inbox alice
mail inbox --as caroline
mail peek --as alice
mail check --as alice
mail check --as beads/polecats/nux
mail check --inject --as bob
mail check --inject --as bob
mail wait --timeout 10ms --as alice
mail wait --timeout 10ms --as alpha/polecats/ace
mail read $m1 --as alice
mail read $m1 --as caroline
mail read hq-m-zzzzz --as alice
mail read garbage --as alice
mail read $m5 --ack --as alice
mail ack $m1 $m4 --as alice
mail ack $m1 hq-m-zzzzz --as alice
mail ack 1 --as alice
mail mark-unread $m1 --as alice
mail archive $m4 --as alice
mail archive $m4 --as alice
mail inbox --archived --as alice
mail unarchive $m4 --as alice
mail delete $m3 --as alice
mail read $m3 --as alice
mail pin $m1 --as alice
mail unpin $m6 --as alice
mail archive --stale --older 0s --as alice
mail ack --all --as caroline
mail reply $m1 -m "an answer" --as alice > r1
mail reply $r1 -m "and back" --as bob > r2
mail reply-all $m9 -m "to all" --as alice
mail reply $m1 -m x --as caroline
mail thread $m1 --as alice
mail thread $m1 --as caroline
mail thread thread-nothing --as alice
mail sent --as bob
mail sent --limit 1 --as bob
mail waiting --as bob
mail waiting --as alice
mail reply $m10 -m "here it is" --as alice
mail waiting --as bob
mail explain $m1 --as alice
mail explain $m1 --as caroline
mail explain hq-m-zzzzz
why alice
why $m2
mail budget

# Search
mail search "first body" --as alice
mail search FIRST --as alice
mail search 日本 --as alice
mail search ünï --as alice
mail search "'; DROP" --as alice
mail search 100% --as alice
mail search answer --from alice --as bob
mail search Hello --subject --as alice
mail search body --body --limit 1 --as alice
mail search x --as nobody
mail search "" --as alice

# Groups
group create ops alice bob "beads/polecats/*"
group create ops
group create Bad
group create mayor
group create alice
group create outer @ops caroline ghost
group create loop group:loop alice
group list
group show ops
group show outer
group show opps
group add ops caroline
group add ops queue:x
group add ops caroline --as bob
group remove ops caroline nobody
mail send @ops -s "To ops" -m x --as alice
mail send outer -s "To outer" -m x
mail send group:loop -s "Once" -m x
mail send group:nothing -s x -m ""
group create own --as bob
group add own alice --as bob
group delete own --as alice
group delete own --as bob
group delete own
mail group show loop
agent add ops

# Queues and claims
queue create dispatch --max-attempts 2
queue create dispatch
queue create merge --rig beads --claimers beads/polecats/* --order priority --max-concurrency 1 --lease 90s
queue create x --rig nowhere
queue create x --order lifo
queue create x --lease 1ms
queue create x --max-attempts 0
queue create x --claimers a//b
queue create x --as alice
queue list
mail send queue:dispatch -s "Work one" -m do > q1
mail send dispatch -s "Work two" -m do > q2
mail send queue:nothing -s x -m ""
mail send queue:merge -s Low --priority low -m x > q3
mail send queue:merge -s High --urgent -m x > q4
mail claim nothing --as alice
mail claim merge --as alice
mail claim merge --as beads/polecats/nux
mail claim merge --as beads/polecats/max
mail claim dispatch --as alice
mail claim --as alice
mail claim --as alice
mail claim dispatch --wait=10ms --as bob
queue show dispatch
queue show merge
mail complete $q1 --as bob
mail complete $q1 --as alice
mail complete $q1 --as alice
mail release $q2 --as alice
mail release $q2 --as alice
mail claim dispatch --as bob
mail extend $q2 --lease 1h --as bob
mail extend $q2 --lease never --as bob
mail fail $q2 --reason "tests – red" --as bob
mail claim dispatch --as alice
mail fail $q2 --as alice
mail complete $q2 --as alice
queue dead
queue dead dispatch
queue retry $q1
queue retry $q2 --as bob
queue retry $q2
queue retry $q2 $q1
mail complete $m1 --as alice
mail fail hq-m-zzzzz --as alice
mail claim dispatch --as alice
mail complete $q2 $q1 --as alice
mail complete $q4 --as beads/polecats/nux
mail claim --as beads/polecats/max
mail explain $q2
mail read $q3 --as caroline
mail read $q3 --as beads/polecats/nux
mail reply $q4 -m done --as beads/polecats/nux
queue pause dispatch
mail send dispatch -s Later -m x > q5
mail claim dispatch --as alice
queue resume dispatch
queue close dispatch
mail send dispatch -s x -m ""
queue delete dispatch
mail claim dispatch --as alice
mail complete $q5 --as alice
queue delete dispatch
queue delete merge --force
queue show dispatch
queue list

# Channels
channel create builds --retain-count 3
channel create builds
channel create talk --as alice
channel create x --retain-count -1
channel create x --retain-hours many
channel create ops
channel list
channel subscribe builds --as alice
channel subscribe builds --as alice
channel subscribe builds @crew --wake
channel subscribe builds ghost
channel subscribe talk bob --as caroline
channel subscribers builds
mail send channel:builds -s "Post 1" -m one --as bob > c1
mail send channel:builds -s "Post 2" -m two --as bob > c2
mail send builds -s "Post 3" -m three --as alice
mail send builds caroline -s "Post 4" -m four --as bob
mail check --as alice
mail check --inject --as alice
channel read builds --unread --limit 1 --as alice
channel read builds --unread --as alice
channel read builds --unread --as alice
channel read builds --unread --as caroline
channel read builds --limit 2
channel read builds --limit 2 --cursor 1
mail send builds -s "Post 5" -m five --as bob > c5
channel show builds
channel pruned builds
mail read $c1 --as alice
mail read $c5 --as caroline
mail reply $c5 -m seen --as alice
channel update builds --retain-count 1
channel update builds --retain-count 1 --as alice
channel prune
channel prune nothing
channel read builds
mail explain $c5
channel close builds
mail send builds -s x -m ""
channel reopen builds
channel unsubscribe builds --as alice
channel unsubscribe builds --as alice
channel delete talk --as bob
channel delete talk --as alice
channel delete talk --force --as alice
mail send channel:talk -s x -m ""
mail directory

# Taking back, leaving
mail recall --from bob --since 1h --as alice
mail recall --from bob --since 1h
mail inbox --as alice
agent remove caroline
mail send caroline -s x -m ""
agent remove mayor
rig remove alpha
agent remove alpha/polecats/ace
rig remove alpha
nonsense
mail nonsense
mail send alice -s x --nonsense -m ""
)script";

}  // namespace townpost
