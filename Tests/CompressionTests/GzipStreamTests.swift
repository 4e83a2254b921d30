import Compression
import GzipReading
import Testing

@Suite struct GzipStreamTests {
    @Test(arguments: 0..<60)
    func `a reader has all content after each frame, and one valid member at the end`(_ seed: Int) {
        var random = RandomContent(seed: seed)
        let deflater = Deflater()
        let reader = GzipReader()
        var stream = GzipStream()
        var expected: [UInt8] = []
        reader.read(GzipStream.header)
        for _ in 0..<Int.random(in: 0..<20, using: &random) {
            let content = random.content()
            expected += content
            reader.read(stream.append(deflater.frame(content)))
            #expect(reader.content == expected)
            #expect(reader.isValid && !reader.isFinished)
        }
        reader.read(stream.finish())
        #expect(reader.isValid && reader.isFinished)
        #expect(reader.content == expected)
    }

    @Test func `readers that join at different frames each get one valid member from the same frames`() {
        var random = RandomContent(seed: 1)
        let deflater = Deflater()
        let heartbeat = deflater.frame(Array(": \n\n".utf8))
        var readers: [(reader: GzipReader, stream: GzipStream, expected: [UInt8])] = []
        for _ in 0..<30 {
            let reader = GzipReader()
            reader.read(GzipStream.header)
            readers.append((reader, GzipStream(), []))
            let content = random.content()
            let frame = deflater.frame(content)
            for place in readers.indices {
                readers[place].reader.read(readers[place].stream.append(frame))
                readers[place].expected += content
                guard Bool.random(using: &random) else { continue }
                readers[place].reader.read(readers[place].stream.append(heartbeat))
                readers[place].expected += Array(": \n\n".utf8)
            }
        }
        for each in readers {
            each.reader.read(each.stream.finish())
            #expect(each.reader.isValid && each.reader.isFinished)
            #expect(each.reader.content == each.expected)
        }
    }

    @Test(arguments: [1, 2, 100, 1 << 10, 32 << 10, 64 << 10, 65_537, 1 << 20])
    func `frames of every size are read, compressible or not`(_ size: Int) {
        var random = RandomContent(seed: size)
        let deflater = Deflater()
        let noise = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
        for content in [[UInt8](repeating: 0x20, count: size), noise] {
            let frame = deflater.frame(content)
            // An incompressible block is stored, with 5 bytes each at the worst, and 5 of the flush.
            #expect(frame.bytes.count <= size + size / 1_000 + 20)
            var stream = GzipStream()
            let reader = GzipReader()
            for bytes in [GzipStream.header, stream.append(frame), stream.append(frame), stream.finish()] {
                reader.read(bytes)
            }
            #expect(reader.isValid && reader.isFinished)
            #expect(reader.content == content + content)
        }
    }

    @Test func `a frame is the same whatever the deflater compressed before`() {
        let deflater = Deflater()
        let content = Array("data: {\"quantity\": 3}\n\n".utf8)
        let first = deflater.frame(content).bytes
        _ = deflater.frame([UInt8](repeating: 7, count: 100_000))
        _ = deflater.gzip(content + content)
        #expect(deflater.frame(content).bytes == first)
    }

    // Go's reader holds the content of a stored block back until it reads an empty one.
    @Test func `a frame ends with the marker of a full flush, also a stored one`() {
        #expect(Deflater().frame([1, 2, 3]).bytes.suffix(4) == [0, 0, 0xFF, 0xFF])
        #expect(DeflatedFrame(storing: [1, 2, 3]).bytes.suffix(5) == [0, 0, 0, 0xFF, 0xFF])
    }

    @Test func `an empty frame has no bytes and changes no stream`() {
        let deflater = Deflater()
        let (empty, frame) = (deflater.frame([]), deflater.frame([1, 2, 3]))
        var with = GzipStream()
        var without = GzipStream()
        #expect(with.append(empty) == [])
        #expect(with.append(frame) == without.append(frame))
        #expect(with.append(empty) == [])
        #expect(with.finish() == without.finish())
    }

    @Test func `a missing frame breaks the trailer`() {
        let deflater = Deflater()
        var stream = GzipStream()
        let reader = GzipReader()
        reader.read(GzipStream.header)
        reader.read(stream.append(deflater.frame([1, 2, 3])))
        _ = stream.append(deflater.frame([4, 5, 6]))
        reader.read(stream.finish())
        #expect(!reader.isValid)
    }

    @Test(arguments: 0..<40)
    func `a body is one gzip member`(_ seed: Int) {
        var random = RandomContent(seed: seed)
        let deflater = Deflater()
        for _ in 0..<5 {
            let content = random.content()
            let reader = GzipReader()
            reader.read(deflater.gzip(content))
            #expect(reader.isValid && reader.isFinished)
            #expect(reader.content == content)
        }
    }

    @Test(arguments: 0..<20) func `frames in a row are one frame and one body`(_ seed: Int) {
        var random = RandomContent(seed: seed)
        let deflater = Deflater()
        let parts = (0..<Int.random(in: 0..<10, using: &random)).map { _ in random.content() }
        let content = Array(parts.joined())
        let frames = parts.map { deflater.frame([$0], isOfLarge: Bool.random(using: &random)) }
        let joined = DeflatedFrame(joining: frames, of: content.count)
        let (body, reader) = (GzipReader(), GzipReader())
        body.read(joined.member)
        #expect(body.isValid && body.isFinished && body.content == content)
        var stream = GzipStream()
        let last = deflater.frame([1, 2, 3])
        for bytes in [GzipStream.header, stream.append(joined), stream.append(last), stream.finish()] {
            reader.read(bytes)
        }
        #expect(reader.isValid && reader.isFinished && reader.content == content + [1, 2, 3])
    }

    @Test func `text of rows becomes much smaller`() {
        let text = (0..<200).map { #"{"product":"mug","quantity":\#($0),"price":12.5}"# }.joined(separator: ",")
        #expect(Deflater().gzip(Array(text.utf8)).count * 5 < text.utf8.count)
    }

    @Test(arguments: [1, 2, 64, 255, 256, 65_535])
    func `a stored frame is read, and its content stays as it is`(_ size: Int) {
        var random = RandomContent(seed: size)
        let content = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
        let (deflater, frame) = (Deflater(), DeflatedFrame(storing: content))
        #expect(Array(frame.bytes.dropFirst(5).dropLast(5)) == content)
        var stream = GzipStream()
        let reader = GzipReader()
        for bytes in [GzipStream.header, stream.append(frame), stream.append(deflater.frame(content))] {
            reader.read(bytes)
        }
        reader.read(stream.append(frame))
        reader.read(stream.finish())
        #expect(reader.isValid && reader.isFinished && reader.content == content + content + content)
    }

    @Test(arguments: 0..<20) func `content in parts is read as if it were in one`(_ seed: Int) {
        var random = RandomContent(seed: seed)
        let deflater = Deflater()
        let parts = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
            Bool.random(using: &random) ? random.content() : []
        }
        let joined = Array(parts.joined())
        var stream = GzipStream()
        let (reader, body) = (GzipReader(), GzipReader())
        for bytes in [GzipStream.header, stream.append(deflater.frame(parts)), stream.finish()] { reader.read(bytes) }
        body.read(deflater.gzip(parts))
        for reader in [reader, body] {
            #expect(reader.isValid && reader.isFinished && reader.content == joined)
        }
    }
}
