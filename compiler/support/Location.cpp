#include "compiler/support/Location.h"

using namespace mlir;

heddle::Place heddle::placeOf(Location location) {
  Place place;
  location->walk([&](Location part) {
    if (auto call = dyn_cast<CallSiteLoc>(part)) {
      place = placeOf(call.getCallee());
      return WalkResult::interrupt();
    }
    if (auto file = dyn_cast<FileLineColRange>(part)) {
      place = {file.getFilename().str(), file.getStartLine(), file.getStartColumn()};
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return place;
}

std::string heddle::placeText(Location location) {
  Place place = placeOf(location);
  return place.line ? (place.file + ":" + Twine(place.line) + ":" + Twine(place.column)).str() : "";
}
