import Reactive
import Testing

struct DecodeTests {
    /// A decoder from number words to numbers.
    struct Words: ValueDecoder {
        func decode<Output: Decodable>(_ type: Output.Type, from input: String) throws -> Output {
            guard let number = ["a": 1, "b": 2][input] as? Output else { throw Refused() }
            return number
        }
    }

    @Test(arguments: [
        Course("-a-b-|", "^----!", "-1-2-|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course("-a-#", "^--!", "-1-#"),
        Course("-a-b-|", "^-!", "-1", until: "^-!"),
        Course("-a-x-b-|", "^--!", "-1-# #:Refused"),
    ])
    func `decode delivers each decoded value, and fails at an invalid one (Law DECODE1)`(_ course: Course) {
        course.holds { $0.a.decode(Int.self, by: Words()) }
    }
}
