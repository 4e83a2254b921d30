import Compression

/// An event of about 10 KB, as a view of rows gives it. `number` makes it differ.
private func event(_ number: Int) -> [UInt8] {
    var text = "id: 18.7-\(number)\ndata: ["
    var row = 0
    while text.utf8.count < 10_000 {
        if row > 0 { text += "," }
        text +=
            #"{"id":"order-\#(row &* 7919 % 10_007)","product":"mug","quantity":\#((row + number) % 40),"price":\#(row * 37 % 991)}"#
        row += 1
    }
    return Array((text + "]\n\n").utf8)
}

private let readerCount = 1_000

/// A frame compressed once for all readers, beside one compression for each.
let compressionComparisons = MeasurementGroup(
    name: "compression",
    comparisons: [
        Comparison(
            name: "a frame of 10 KB, once for 1,000 readers, beside once for each", allowed: 0.02, operations: 2,
            ours: {
                let deflater = Deflater()
                var streams = [GzipStream](repeating: GzipStream(), count: readerCount)
                return { number in
                    let frame = deflater.frame(event(number))
                    for reader in streams.indices { precondition(!streams[reader].append(frame).isEmpty) }
                }
            },
            limit: {
                let deflater = Deflater()
                var streams = [GzipStream](repeating: GzipStream(), count: readerCount)
                return { number in
                    let content = event(number)
                    for reader in streams.indices {
                        precondition(!streams[reader].append(deflater.frame(content)).isEmpty)
                    }
                }
            })
    ],
    bounds: [
        Bound(name: "a body of 10 KB", allowed: 1_000_000, operations: 50) {
            let deflater = Deflater()
            return { number in precondition(deflater.gzip(event(number)).count < 5_000) }
        }
    ])
