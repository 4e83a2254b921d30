import Reactive
import Testing

struct RaceTests {
    @Test(arguments: [
        Course(
            """
            a  -1---2-|
               ^------!
            b  --3---|
               ^!
            =  -1---2-|
            """),
        Course(
            """
            a  ---1-2-|
               ^-!
            b  --3---4-|
               ^-------!
            =  --3---4-|
            """),
        Course(
            """
            a  ---1-2-|
               ^!
            b  -|
               ^!
            =  -|
            """),
        Course(
            """
            a  ---1-2-|
               ^!
            b  -#
               ^!
            =  -#
            """),
        Course(
            """
            a  -1-#
               ^--!
            b  --2-|
               ^!
            =  -1-#
            """),
        Course(
            """
            a  ----
               ^---!
            b  ----
               ^---!
            =  ----
               ^---!
            """),
        Course(
            """
            a  -1--3-|
               ^--!
            b  --2---|
               ^!
            =  -1--
               ^--!
            """),
    ])
    func `race follows the first source to deliver and cancels the other (Laws RACE1, RACE2)`(_ course: Course) {
        course.holds { race($0.a, $0.b) }
        course.holds { $0.a.race(with: $0.b) }
        course.holds { race([$0.a, $0.b]) }
    }

    @Test(arguments: [
        Course(
            """
            hot a  -1--2-|
                   ^-----!
            hot b  -3--4-|
                   ^!
            =      -1--2-|
            """),
        Course(
            """
            hot b  -3--4-|
                   ^-----!
            hot a  -1--2-|
                   ^!
            =      -3--4-|
            """),
        Course(
            """
            hot b  -#
                   ^!
            hot a  -1--2-|
                   ^!
            =      -#
            """),
    ])
    func `in the same second, the first event wins (Law RACE1)`(_ course: Course) {
        course.holds { race($0.a, $0.b) }
    }

    @Test func `in one turn, the first argument wins (Law RACE3)`() {
        Course("= (12|)").holds { _ in race(.from(["1", "2"]), .just("3")) }
        Course("-1-|", "^--!", "-a-|").holds { laboratory in
            race(laboratory.a.map { _ in "a" }, laboratory.a.map { _ in "b" })
        }
        Course("-1-|", "^--!", "-a-|").holds(in: [.byHeight]) { laboratory in
            race(merge(laboratory.a.map { _ in "a" }, .empty()), laboratory.a.map { _ in "b" })
        }
    }

    @Test func `race without sources completes at once (Law RACE2)`() {
        Course("= |").holds { _ in race([Observable<String>]()) }
    }
}
