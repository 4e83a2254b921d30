import Reactive
import Testing

struct SkipUntilTests {
    @Test(arguments: [
        Course(
            """
            a  -1-2-3-|
               ^------!
            b  --x-x|
               ^-!
            =  ---2-3-|
            """),
        Course(
            """
            a  -1-2-3-|
               ^------!
            b  ---|
               ^--!
            =  -------|
            """),
        Course(
            """
            a  -1-|
               ^--!
            b  ----x|
               ^--!
            =  ---|
            """),
        Course(
            """
            a  -1-2-|
               ^----!
            b  --x-#
               ^-!
            =  ---2-|
            """),
        Course(
            """
            a  ---
               ^----!
            b  ---
               ^----!
            =  ---
               ^----!
            """),
        Course(
            """
            a  --1-#
               ^---!
            b  -x---|
               ^!
            =  --1-#
            """),
        Course(
            """
            a  -1----|
               ^--!
            b  ---#
               ^--!
            =  ---#
            """),
        Course(
            """
            a  --1-2-|
               ^--!
            b  -x-#
               ^!
            =  --1
               ^--!
            """),
    ])
    func `skip(until:) delivers values after another observable delivers (Laws SKIPUNTIL1, SKIPUNTIL2)`(
        _ course: Course
    ) {
        course.holds { $0.a.skip(until: $0.b) }
    }

    @Test(arguments: [
        Course(
            """
            hot a  -1-2-3-|
                   ^------!
            hot b  ---x--|
                   ^--!
            =      -----3-|
            """),
        Course(
            """
            hot b  ---x--|
                   ^--!
            hot a  -1-2-3-|
                   ^------!
            =      ---2-3-|
            """),
    ])
    func `in the same second, a value after the other is delivered (Law SKIPUNTIL1)`(_ course: Course) {
        course.holds { $0.a.skip(until: $0.b) }
    }

    @Test func `in the same turn the other is first (Law SKIPUNTIL1)`() {
        Course("-1-2-|", "^----!", "-1-2-|").holds { $0.a.skip(until: $0.a) }
        Course("= (1|)").holds { _ in Observable.just("1").skip(until: .just("x")) }
    }
}
