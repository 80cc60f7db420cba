// Every op that works element by element: the same numbers on one rank and on several, whatever the plan.
// RUN: froe compile %s --mesh 1 -o %t.1.froe && froe run %t.1.froe -n 1 --random --random-limit 5 --output-dir %t.1
// RUN: froe compile %s --mesh 2 --constrain random:11 -o %t.2.froe && froe run %t.2.froe -n 2 --random --random-limit 5 --output-dir %t.2
// RUN: %python %S/compare.py %t.1 %t.2
// RUN: froe compile %s --mesh 3 --constrain random:12 -o %t.3.froe && froe run %t.3.froe -n 3 --random --random-limit 5 --output-dir %t.3
// RUN: %python %S/compare.py %t.1 %t.3
// RUN: froe compile %s --mesh 2x2 --constrain random:13 -o %t.4.froe && froe run %t.4.froe -n 4 --random --random-limit 5 --output-dir %t.4
// RUN: %python %S/compare.py %t.1 %t.4

module attributes {froe.phase = "program"} {
func.func @main(%x: tensor<5x6xf32> {froe.name = "x"}, %y: tensor<5x6xf32> {froe.name = "y"}, %i: tensor<5x6xi64> {froe.name = "i"}, %j: tensor<5x6xi64> {froe.name = "j"})
    -> (tensor<5x6xf32> {froe.name = "o0"}, tensor<5x6xf32> {froe.name = "o1"}, tensor<5x6xf32> {froe.name = "o2"}, tensor<5x6xf32> {froe.name = "o3"}, tensor<5x6xf32> {froe.name = "o4"}, tensor<5x6xf32> {froe.name = "o5"}, tensor<5x6xf32> {froe.name = "o6"}, tensor<5x6xf32> {froe.name = "o7"}, tensor<5x6xf32> {froe.name = "o8"}, tensor<5x6xf32> {froe.name = "o9"}, tensor<5x6xf32> {froe.name = "o10"}, tensor<5x6xf32> {froe.name = "o11"}, tensor<5x6xf32> {froe.name = "o12"}, tensor<5x6xf32> {froe.name = "o13"}, tensor<5x6xf32> {froe.name = "o14"}, tensor<5x6xf32> {froe.name = "o15"}, tensor<5x6xf32> {froe.name = "o16"}, tensor<5x6xf32> {froe.name = "o17"}, tensor<5x6xf32> {froe.name = "o18"}, tensor<5x6xf32> {froe.name = "o19"}, tensor<5x6xf32> {froe.name = "o20"}, tensor<5x6xf32> {froe.name = "o21"}, tensor<5x6xf32> {froe.name = "o22"}, tensor<5x6xf32> {froe.name = "o23"}, tensor<5x6xf32> {froe.name = "o24"}, tensor<5x6xi64> {froe.name = "o25"}, tensor<5x6xi64> {froe.name = "o26"}, tensor<5x6xi64> {froe.name = "o27"}, tensor<5x6xi64> {froe.name = "o28"}, tensor<5x6xi64> {froe.name = "o29"}, tensor<5x6xi64> {froe.name = "o30"}, tensor<5x6xi64> {froe.name = "o31"}, tensor<5x6xi64> {froe.name = "o32"}, tensor<5x6xi64> {froe.name = "o33"}, tensor<5x6xi64> {froe.name = "o34"}, tensor<5x6xi64> {froe.name = "o35"}, tensor<5x6xi64> {froe.name = "o36"}, tensor<5x6xi64> {froe.name = "o37"}, tensor<5x6xi64> {froe.name = "o38"}, tensor<5x6xi1> {froe.name = "o39"}, tensor<5x6xi1> {froe.name = "o40"}, tensor<5x6xi1> {froe.name = "o41"}, tensor<5x6xi1> {froe.name = "o42"}, tensor<5x6xi1> {froe.name = "o43"}, tensor<5x6xi1> {froe.name = "o44"}, tensor<5x6xi1> {froe.name = "o45"}, tensor<5x6xi1> {froe.name = "o46"}, tensor<5x6xi1> {froe.name = "o47"}, tensor<5x6xi1> {froe.name = "o48"}, tensor<5x6xf32> {froe.name = "o49"}, tensor<5x6xi64> {froe.name = "o50"}, tensor<5x6xf32> {froe.name = "o51"}, tensor<5x6xui8> {froe.name = "o52"}) {
  %two = froe.constant dense<2> : tensor<5x6xi64>
  %d = froe.sub %i, %two : tensor<5x6xi64>
  %twos = froe.mul %j, %two : tensor<5x6xi64>
  %ones = froe.constant dense<1> : tensor<5x6xi64>
  %one = froe.add %twos, %ones : tensor<5x6xi64> // 1, 3, …: a divisor
  %p = froe.compare less %x, %y : tensor<5x6xf32> -> tensor<5x6xi1>
  %q = froe.compare less %i, %j : tensor<5x6xi64> -> tensor<5x6xi1>
  %0 = froe.abs %x : tensor<5x6xf32>
  %1 = froe.neg %x : tensor<5x6xf32>
  %2 = froe.exp %x : tensor<5x6xf32>
  %3 = froe.log %x : tensor<5x6xf32>
  %4 = froe.sqrt %x : tensor<5x6xf32>
  %5 = froe.reciprocal %x : tensor<5x6xf32>
  %6 = froe.sin %x : tensor<5x6xf32>
  %7 = froe.cos %x : tensor<5x6xf32>
  %8 = froe.tanh %x : tensor<5x6xf32>
  %9 = froe.erf %x : tensor<5x6xf32>
  %10 = froe.floor %x : tensor<5x6xf32>
  %11 = froe.ceil %x : tensor<5x6xf32>
  %12 = froe.round %x : tensor<5x6xf32>
  %13 = froe.sign %x : tensor<5x6xf32>
  %14 = froe.sigmoid %x : tensor<5x6xf32>
  %15 = froe.silu %x : tensor<5x6xf32>
  %16 = froe.relu %x : tensor<5x6xf32>
  %17 = froe.gelu erf %x : tensor<5x6xf32>
  %18 = froe.gelu tanh %x : tensor<5x6xf32>
  %19 = froe.sub %x, %y : tensor<5x6xf32>
  %20 = froe.div %x, %y : tensor<5x6xf32>
  %21 = froe.mod %x, %y : tensor<5x6xf32>
  %22 = froe.pow %x, %y : tensor<5x6xf32>
  %23 = froe.max %x, %y : tensor<5x6xf32>
  %24 = froe.min %x, %y : tensor<5x6xf32>
  %25 = froe.abs %d : tensor<5x6xi64>
  %26 = froe.neg %d : tensor<5x6xi64>
  %27 = froe.sign %d : tensor<5x6xi64>
  %28 = froe.relu %d : tensor<5x6xi64>
  %29 = froe.add %i, %one : tensor<5x6xi64>
  %30 = froe.sub %i, %one : tensor<5x6xi64>
  %31 = froe.mul %i, %one : tensor<5x6xi64>
  %32 = froe.div %i, %one : tensor<5x6xi64>
  %33 = froe.mod %i, %one : tensor<5x6xi64>
  %34 = froe.max %i, %one : tensor<5x6xi64>
  %35 = froe.min %i, %one : tensor<5x6xi64>
  %36 = froe.and %i, %one : tensor<5x6xi64>
  %37 = froe.or %i, %one : tensor<5x6xi64>
  %38 = froe.xor %i, %one : tensor<5x6xi64>
  %39 = froe.compare equal %i, %j : tensor<5x6xi64> -> tensor<5x6xi1>
  %40 = froe.compare less %i, %j : tensor<5x6xi64> -> tensor<5x6xi1>
  %41 = froe.compare less_or_equal %i, %j : tensor<5x6xi64> -> tensor<5x6xi1>
  %42 = froe.compare greater %i, %j : tensor<5x6xi64> -> tensor<5x6xi1>
  %43 = froe.compare greater_or_equal %i, %j : tensor<5x6xi64> -> tensor<5x6xi1>
  %44 = froe.is_nan %x : tensor<5x6xf32> -> tensor<5x6xi1>
  %45 = froe.and %p, %q : tensor<5x6xi1>
  %46 = froe.or %p, %q : tensor<5x6xi1>
  %47 = froe.xor %p, %q : tensor<5x6xi1>
  %48 = froe.not %p : tensor<5x6xi1>
  %49 = froe.select %p, %x, %y : tensor<5x6xi1>, tensor<5x6xf32>
  %50 = froe.cast %x : tensor<5x6xf32> to tensor<5x6xi64>
  %51 = froe.cast %i : tensor<5x6xi64> to tensor<5x6xf32>
  %52 = froe.cast %p : tensor<5x6xi1> to tensor<5x6xui8>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52 : tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xi64>, tensor<5x6xi64>, tensor<5x6xi64>, tensor<5x6xi64>, tensor<5x6xi64>, tensor<5x6xi64>, tensor<5x6xi64>, tensor<5x6xi64>, tensor<5x6xi64>, tensor<5x6xi64>, tensor<5x6xi64>, tensor<5x6xi64>, tensor<5x6xi64>, tensor<5x6xi64>, tensor<5x6xi1>, tensor<5x6xi1>, tensor<5x6xi1>, tensor<5x6xi1>, tensor<5x6xi1>, tensor<5x6xi1>, tensor<5x6xi1>, tensor<5x6xi1>, tensor<5x6xi1>, tensor<5x6xi1>, tensor<5x6xf32>, tensor<5x6xi64>, tensor<5x6xf32>, tensor<5x6xui8>
}
}
