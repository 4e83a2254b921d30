import Reactive

let graph = Graph()
let price = Variable(2)
let quantity = Variable(3)
