import Reactive
import Testing

struct PrefixUntilTests {
    @Test(arguments: [
        Course(
            """
            a  -1-2-3-|
               ^---!
            b  ----x-x|
               ^---!
            =  -1-2|
            """),
        Course(
            """
            a  -1-2-3-|
               ^------!
            b  ---|
               ^--!
            =  -1-2-3-|
            """),
        Course(
            """
            a  -1-|
               ^--!
            b  ----x|
               ^--!
            =  -1-|
            """),
        Course(
            """
            a  ---|
               ^--!
            b  ---
               ^--!
            =  ---|
            """),
        Course(
            """
            a  -1-
               ^----!
            b  ---
               ^----!
            =  -1-
               ^----!
            """),
        Course(
            """
            a  -1-#
               ^--!
            b  -----x
               ^--!
            =  -1-#
            """),
        Course(
            """
            a  -1----|
               ^--!
            b  ---#
               ^--!
            =  -1-#
            """),
        Course(
            """
            a  -1-2-|
               ^-!
            b  ---x
               ^-!
            =  -1
               ^-!
            """),
    ])
    func
        `prefix(until:) delivers values until another observable delivers, then the end (Laws PREFIXUNTIL1, PREFIXUNTIL2)`(
            _ course: Course
        )
    {
        course.holds { $0.a.prefix(until: $0.b) }
    }

    @Test(arguments: [
        Course(
            """
            hot a  -1-2-3-|
                   ^--!
            hot b  ---x-x|
                   ^--!
            =      -1-(2|)
            """),
        Course(
            """
            hot b  ---x-x|
                   ^--!
            hot a  -1-2-3-|
                   ^--!
            =      -1-|
            """),
    ])
    func `in the same second, a value before the other is delivered (Law PREFIXUNTIL1)`(_ course: Course) {
        course.holds { $0.a.prefix(until: $0.b) }
    }

    @Test func `in the same turn the other is first (Law PREFIXUNTIL1)`() {
        Course("-1-2-|", "^!", "-|").holds { $0.a.prefix(until: $0.a) }
        Course("= |").holds { _ in Observable.just("1").prefix(until: .just("x")) }
    }
}
