#pragma once
#include "post/values/address.h"
#include "post/values/message.h"

namespace townpost {

/// Who is calling, and how we know.
struct Caller {
  Address address = Address::human();
  Grade grade = Grade::env;

  bool is_person() const { return address.role() == Role::human; }
  /// People, and those who run the town and its rigs.
  bool coordinates() const {
    const Role role = address.role();
    return role == Role::human || role == Role::mayor || role == Role::deacon || role == Role::witness ||
           role == Role::refinery;
  }
};

}  // namespace townpost
