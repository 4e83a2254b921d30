import Reactive
import Testing

struct SampleTests {
    @Test(arguments: [
        Course(
            """
            a  -12---3----|
               ^----------!
            b  ---x-x--x-x---|
               ^----------!
            =  ---2----3--|
            """),
        Course(
            """
            a  -12|
               ^--!
            b  -----x-|
               ^--!
            =  ---|
            """),
        Course(
            """
            a  -12---3----|
               ^-----!
            b  ---x--|
               ^-----!
            =  ---2--|
            """),
        Course(
            """
            a  -1----
               ^----!
            b  ----
               ^----!
            =  -----
               ^----!
            """),
        Course(
            """
            a  -1-#
               ^--!
            b  --x-x|
               ^--!
            =  --1#
            """),
        Course(
            """
            a  -1-2-|
               ^---!
            b  --x-#
               ^---!
            =  --1-#
            """),
        Course(
            """
            a  -1-2-|
               ^--!
            b  --x-x|
               ^--!
            =  --1-
               ^--!
            """),
    ])
    func `sample delivers the latest value when another delivers, each value once (Laws SAMPLE1, SAMPLE2)`(
        _ course: Course
    ) {
        course.holds { $0.a.sample($0.b) }
    }

    @Test(arguments: [
        Course(
            """
            hot a  -1-2-|
                   ^----!
            hot b  -x-x-x|
                   ^----!
            =      -1-2-|
            """),
        Course(
            """
            hot b  -x-x-x|
                   ^----!
            hot a  -1-2-|
                   ^----!
            =      ---1-(2|)
            """),
    ])
    func `in the same second, it delivers the latest value before (Law SAMPLE1)`(_ course: Course) {
        course.holds { $0.a.sample($0.b) }
    }

    @Test func `in the same turn the value is first (Law SAMPLE1)`() {
        Course("-1-2-|", "^----!", "-1-2-|").holds { $0.a.sample($0.a) }
    }
}
