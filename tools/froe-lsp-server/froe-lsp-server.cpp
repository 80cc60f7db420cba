// Editor support (completion, definitions, diagnostics) for .mlir files with Froe's dialects.
#include "dialects/Rank/Rank.h"

#include "mlir/InitAllDialects.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  registry.insert<froe::FroeDialect, froe::rank::RankDialect>();
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
