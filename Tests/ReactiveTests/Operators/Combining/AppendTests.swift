import Reactive
import Testing

struct AppendTests {
    @Test(arguments: [
        Course(
            """
            a  -1-2-|
               ^----!
            b  -3-|
               -----^--!
            =  -1-2--3-|
            """),
        Course(
            """
            a  |
               *
            b  -3-|
               ^--!
            =  -3-|
            """),
        Course(
            """
            a  -1-|
               ^--!
            b  |
               ---*
            =  -1-|
            """),
        Course(
            """
            a  -1--
               ^---!
            b  -3-|
            =  -1--
               ^---!
            """),
        Course(
            """
            a  -1-#
               ^--!
            b  -3-|
            =  -1-#
            """),
        Course(
            """
            a  -1-|
               ^--!
            b  -3-#
               ---^--!
            =  -1--3-#
            """),
        Course(
            """
            a  -1-|
               ^--!
            b  -3--4-|
               ---^--!
            =  -1--3
               ^-----!
            """),
    ])
    func `append starts another observable after the completion (Laws APPEND1, APPEND2)`(_ course: Course) {
        course.holds { $0.a.append($0.b) }
        course.holds { append([$0.a, $0.b]) }
    }

    @Test(arguments: [
        Course(
            """
            hot a  -1-|
                   ^--!
            hot b  -2-3-4-|
                   ---^---!
            =      -1-3-4-|
            """),
        Course(
            """
            hot b  -2-3-4-|
                   ---^---!
            hot a  -1-|
                   ^--!
            =      -1---4-|
            """),
    ])
    func `append delivers a value in the second of the completion if it comes after it (Law APPEND1)`(_ course: Course)
    {
        course.holds { $0.a.append($0.b) }
    }

    @Test func `an observable may be appended to itself (Law APPEND1)`() {
        Course("-1-|", "^--! ---^--! ------^--!", "-1--1--1-|").holds { $0.a.append($0.a, $0.a) }
    }

    @Test func `values may be appended (Law APPEND1)`() {
        Course("-1-|", "^--!", "-1-(23|)").holds { $0.a.append("2", "3") }
    }

    @Test func `append without sources completes at once (Law APPEND2)`() {
        Course("= |").holds { _ in append([Observable<String>]()) }
    }
}
