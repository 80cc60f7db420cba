// The same numbers on one rank and on several, whatever the plan: native code, random strategies of every op.
// RUN: froe compile %s --mesh 1 -o %t.1.froe && froe run %t.1.froe -n 1 --random --random-limit 5 --output-dir %t.1
// RUN: froe compile %s --mesh 2 --constrain random:1 -o %t.2.froe && froe run %t.2.froe -n 2 --random --random-limit 5 --output-dir %t.2
// RUN: %python %S/compare.py %t.1 %t.2
// RUN: froe compile %s --mesh 3 --constrain random:2 -o %t.3.froe && froe run %t.3.froe -n 3 --random --random-limit 5 --output-dir %t.3
// RUN: %python %S/compare.py %t.1 %t.3
// RUN: froe compile %s --mesh 2x2 --constrain random:3 -o %t.4.froe && froe run %t.4.froe -n 4 --random --random-limit 5 --output-dir %t.4
// RUN: %python %S/compare.py %t.1 %t.4
// RUN: froe compile %s --mesh 2x2 --constrain random:4 -o %t.5.froe && froe run %t.5.froe -n 4 --random --random-limit 5 --output-dir %t.5
// RUN: %python %S/compare.py %t.1 %t.5
// RUN: froe compile %s --mesh 3 --constrain random:5 -o %t.6.froe && froe run %t.6.froe -n 3 --random --random-limit 5 --output-dir %t.6
// RUN: %python %S/compare.py %t.1 %t.6

module attributes {froe.phase = "program"} {
func.func @main(%x: tensor<5x6xf32> {froe.name = "x"}, %y: tensor<5x6xf32> {froe.name = "y"}, %i: tensor<5x3xi64> {froe.name = "i"}, %t: tensor<7x6x4xf32> {froe.name = "t"})
    -> (tensor<5x6xf32> {froe.name = "o0"}, tensor<5x3x4xf32> {froe.name = "o1"}, tensor<5x3xf32> {froe.name = "o2"}, tensor<10x6xf32> {froe.name = "o3"}, tensor<3x5x4xf32> {froe.name = "o4"}, tensor<5xf32> {froe.name = "o5"}, tensor<6xf32> {froe.name = "o6"}, tensor<5x3x6xf32> {froe.name = "o7"}, tensor<30xf32> {froe.name = "o8"}, tensor<5x7xf32> {froe.name = "o9"}, tensor<5x4xf32> {froe.name = "o10"}, tensor<7x6x4xf32> {froe.name = "o11"}, tensor<5x3xi64> {froe.name = "o12"}, tensor<5x6x4xf32> {froe.name = "o13"}, tensor<5x2x6xf32> {froe.name = "o14"}, tensor<5x6xi1> {froe.name = "o15"}, tensor<28x6xf32> {froe.name = "o16"}, tensor<7x6x2x2xf32> {froe.name = "o17"}, tensor<7x5x2x2xf32> {froe.name = "o18"}) {
  %0 = froe.mul %x, %y : tensor<5x6xf32>
  %1 = froe.gather %t, %i dim 0 : tensor<7x6x4xf32>, tensor<5x3xi64> -> tensor<5x3x6x4xf32>
  %2 = froe.reduce sum %1 dims [2] : tensor<5x3x6x4xf32> -> tensor<5x3x4xf32>
  %3 = froe.contract "ab,cb->ac" %x, %y : tensor<5x6xf32>, tensor<5x6xf32> -> tensor<5x5xf32>
  %4 = froe.slice %3 starts [0, 1] strides [1, 1] : tensor<5x5xf32> -> tensor<5x3xf32>
  %5 = froe.concat %0, %y dim 0 : tensor<5x6xf32>, tensor<5x6xf32> -> tensor<10x6xf32>
  %6 = froe.transpose %2 [1, 0, 2] : tensor<5x3x4xf32> -> tensor<3x5x4xf32>
  %7 = froe.reduce max %x dims [1] : tensor<5x6xf32> -> tensor<5xf32>
  %8 = froe.reduce min %y dims [0] : tensor<5x6xf32> -> tensor<6xf32>
  %9 = froe.broadcast %8 dims [2] : tensor<6xf32> -> tensor<5x3x6xf32>
  %10 = froe.reshape %0 : tensor<5x6xf32> -> tensor<30xf32>
  %11 = froe.pad %3 low [0, 1] high [0, 1] with 2.5 : f32 : tensor<5x5xf32> -> tensor<5x7xf32>
  %13 = froe.broadcast %x dims [1, 2] : tensor<5x6xf32> -> tensor<4x5x6xf32>
  %12 = froe.contract "ab,cab->c" %x, %13 : tensor<5x6xf32>, tensor<4x5x6xf32> -> tensor<4xf32>
  %14 = froe.broadcast %12 dims [1] : tensor<4xf32> -> tensor<5x4xf32>
  %15 = froe.softmax %t dim 1 : tensor<7x6x4xf32>
  %16 = froe.iota dim 0 : tensor<5x3xi64>
  %17 = froe.add %16, %i : tensor<5x3xi64>
  %c18 = froe.reduce sum %t dims [0] : tensor<7x6x4xf32> -> tensor<6x4xf32>
  %18 = froe.contract "bc,db->dbc" %c18, %x : tensor<6x4xf32>, tensor<5x6xf32> -> tensor<5x6x4xf32>
  %19 = froe.reshape %i : tensor<5x3xi64> -> tensor<5x3x1xi64>
  %20 = froe.gather_nd %x, %19 batch_dims 0 : tensor<5x6xf32>, tensor<5x3x1xi64> -> tensor<5x3x6xf32>
  %21 = froe.slice %20 starts [0, 0, 0] strides [1, 2, 1] : tensor<5x3x6xf32> -> tensor<5x2x6xf32>
  %22 = froe.compare less %x, %y : tensor<5x6xf32> -> tensor<5x6xi1>
  %23 = froe.reshape %t : tensor<7x6x4xf32> -> tensor<7x4x6xf32>
  %24 = froe.reshape %23 : tensor<7x4x6xf32> -> tensor<28x6xf32>
  %25 = froe.window %t sizes [2] strides [2] dilations [1] : tensor<7x6x4xf32> -> tensor<7x6x2x2xf32>
  %26 = froe.window %t sizes [3, 2] strides [1, 2] dilations [2, 1] : tensor<7x6x4xf32> -> tensor<7x3x2x2x2xf32>
  %27 = froe.reshape %y : tensor<5x6xf32> -> tensor<5x3x2xf32>
  %28 = froe.contract "nxypq,oxy->nopq" %26, %27 : tensor<7x3x2x2x2xf32>, tensor<5x3x2xf32> -> tensor<7x5x2x2xf32>
  return %0, %2, %4, %5, %6, %7, %8, %9, %10, %11, %14, %15, %17, %18, %21, %22, %24, %25, %28 : tensor<5x6xf32>, tensor<5x3x4xf32>, tensor<5x3xf32>, tensor<10x6xf32>, tensor<3x5x4xf32>, tensor<5xf32>, tensor<6xf32>, tensor<5x3x6xf32>, tensor<30xf32>, tensor<5x7xf32>, tensor<5x4xf32>, tensor<7x6x4xf32>, tensor<5x3xi64>, tensor<5x6x4xf32>, tensor<5x2x6xf32>, tensor<5x6xi1>, tensor<28x6xf32>, tensor<7x6x2x2xf32>, tensor<7x5x2x2xf32>
}
}
