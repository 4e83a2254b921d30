import Reactive
import Testing

struct CatchTests {
    @Test(arguments: [
        Course("-1-2-|", "^----!", "-1-2-|"),
        Course("---|", "^--!", "---|"),
        Course("----", "^---!", "-", until: "^---!"),
        Course(
            """
            a  -1-#
               ^--!
            b  -2-3-|
               ---^----!
            =  -1--2-3-|
            """),
        Course(
            """
            a  -1-#
               ^--!
            b  |
               ---*
            =  -1-|
            """),
        Course(
            """
            a  -1-#
               ^--!
            b  -2-#
               ---^--!
            =  -1--2-#
            """),
        Course(
            """
            a  -1-#
               ^--!
            b  -2-3-|
               ---^-!
            =  -1--2
               ^----!
            """),
    ])
    func `catch continues with the observable made from the error (Laws CATCH1, CATCH2)`(_ course: Course) {
        course.holds { laboratory in laboratory.a.catch { $0 is Broken ? laboratory.b : .never() } }
    }

    @Test(arguments: [
        Course(
            """
            hot a  -1-#
                   ^--!
            hot b  -2-3-4-|
                   ---^---!
            =      -1-3-4-|
            """),
        Course(
            """
            hot b  -2-3-4-|
                   ---^---!
            hot a  -1-#
                   ^--!
            =      -1---4-|
            """),
    ])
    func `catch delivers a value in the second of the failure if it comes after it (Law CATCH1)`(_ course: Course) {
        course.holds { laboratory in laboratory.a.catch { _ in laboratory.b } }
    }

    @Test func `the closure may return the observable itself (Law CATCH1)`() {
        Course("-1-#", "^--! ---^--!", "-1--1-#").holds { laboratory in laboratory.a.catch { _ in laboratory.a } }
    }

    @Test func `a closure that throws fails the observable with the thrown error (Law O5)`() {
        Course("-1-#", "^--!", "-1-# #:Refused").holds { $0.a.catch { _ in throw Refused() } }
    }
}
