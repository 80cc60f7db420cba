# Everything starts here; `make` alone lists what there is.
JOBS ?= $(shell nproc)
PYTHON := .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help install configure build test demo bench bench-cost bench-kernels bench-plan format docs clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 18
	@echo "  JOBS=N limits the parallel jobs (default: all cores)"

install: ## install the Debian packages and the Python environment (no-op where they are there)
	@scripts/install.sh

configure: install
	@cmake --preset $$(command -v ccache >/dev/null && echo ccache || echo default) --log-level=WARNING >/dev/null

build: configure ## build everything into build/ (a cold build takes about ten minutes on two cores)
	@cmake --build build -j $(JOBS)

test: build ## build and run every test (about ten minutes on two cores when built)
	@echo "running all tests; 'ctest --test-dir build -L LABEL' runs one area: unit, ir, execution, onnx, runtime, cuda, style"
	@ctest --test-dir build --output-on-failure --no-tests=error -j $(JOBS)

demo: build ## compile MiniLM for one and two ranks, embed six sentences, compare with ONNX Runtime
	@$(PYTHON) scripts/demo.py

bench: build ## measure against ONNX Runtime and write docs/benchmarks.md (about half an hour)
	@$(PYTHON) test/Bench/bench.py

bench-cost: build ## measure 60 plans and print predicted against measured times (about ten minutes)
	@$(PYTHON) test/Bench/cost_bench.py

bench-plan: build ## solve the public planning contest's problems (IOPDDL=folder) and plan large models (about 20 minutes)
	@$(PYTHON) test/Bench/plan_bench.py $(if $(IOPDDL),--folder $(IOPDDL)) $(if $(LIMIT),--limit $(LIMIT)) $(SECTIONS)

bench-kernels: build ## assemble the models' CUDA kernels and print what they take of a GPU (seconds; needs no GPU)
	@$(PYTHON) -B test/Bench/kernels/model_kernels.py

format: ## format all C++ sources in place
	@git ls-files -z '*.cpp' '*.h' | xargs -0 clang-format-22 -i

docs: ## write the reference pages of dialects and passes into docs/reference
	@scripts/reference.sh

clean: ## remove build/ (the Python environment stays)
	@rm -rf build
