// Runs each pass of Froe, and MLIR's own, alone.
#include "dialects/Rank/Rank.h"
#include "froe/Conversion/Passes.h"
#include "froe/Transforms/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<froe::FroeDialect, froe::rank::RankDialect>();
  mlir::registerAllPasses();
  froe::registerFroeTransformsPasses();
  froe::registerFroeConversionPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Froe's optimizer driver\n", registry));
}
