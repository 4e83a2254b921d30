import Reactive
import Testing

struct FromTests {
    @Test(arguments: [("123", Course("= (123|)")), ("1", Course("= (1|)")), ("", Course("= |"))])
    func `from delivers the values of a sequence and the end, at once (Law FROM1)`(_ values: String, _ course: Course) {
        course.holds { _ in .from(values.map(String.init)) }
    }

    @Test func `from takes no more values than needed (Law FROM2)`() {
        let taken = Box(0)
        let endless = sequence(first: 1) { last in
            taken.value = last + 1
            return last + 1
        }
        Course("= (12|)").holds { _ in
            taken.value = 0
            return .from(endless).prefix(2)
        }
        #expect(taken.value == 2)
    }
}
