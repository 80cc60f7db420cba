#include "lib/Import/WireFormat.h"

#include <gtest/gtest.h>

namespace froe::importing {

TEST(WireFormat, WalksOverFieldsOfEveryKind) {
  std::string message("\x08\x96\x01", 3);                  // field 1: varint 150
  message += std::string("\x15\x01\x02\x03\x04", 5);       // field 2: four bytes
  message += std::string("\x19", 1) + std::string(8, 'd'); // field 3: eight bytes
  appendBytes(message, 300, "inner");
  WireReader reader(message);
  EXPECT_EQ(reader.next()->number, 1u);
  EXPECT_EQ(reader.next()->whole.size(), 5u);
  EXPECT_FALSE(reader.next()->isBytes);
  std::optional<WireField> last = reader.next();
  EXPECT_EQ(last->number, 300u);
  EXPECT_EQ(last->content, "inner");
  EXPECT_FALSE(reader.next());
}

TEST(WireFormat, RefusesWhatEndsEarly) {
  std::string message;
  appendBytes(message, 7, std::string(200, 'x'));
  for (size_t length = 1; length < message.size(); ++length) {
    WireReader reader(std::string_view(message).substr(0, length));
    EXPECT_THROW(reader.next(), WireError) << length;
  }
}

TEST(WireFormat, RefusesImpossibleTags) {
  for (std::string message : {std::string("\x00", 1), std::string("\x0b", 1), std::string(11, '\xff')})
    EXPECT_THROW(WireReader(message).next(), WireError);
}

} // namespace froe::importing
