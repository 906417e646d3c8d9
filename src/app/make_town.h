#pragma once
#include <filesystem>
#include <string>

#include "app/postgres_door.h"
#include "base/environment.h"
#include "ops/op.h"

namespace townpost {

enum class MadeBy { person, agent };

/// Makes a town's folder, whole or not at all, and notes that this user trusts it, unless an agent made it. With a
/// `store` its state is in that database, and may be there already. A trusted town that is there is left as it is.
/// Error: refused if something else is there, or if another town is used there and `nested` is not wanted.
Result<MadeTown> make_town_folder(const NewTown& wanted, MadeBy by, const Environment& environment,
                                  PostgresDoor& postgres);

}  // namespace townpost
