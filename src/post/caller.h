#pragma once
#include "post/address.h"
#include "post/message.h"

namespace townpost {

/// Who is calling, and how we know.
struct Caller {
  Address address = Address::human();
  Grade grade = Grade::env;

  bool is_person() const { return address.role() == Role::human; }
};

}  // namespace townpost
