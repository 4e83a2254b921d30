import Reactive
import Testing

struct MergeTests {
    @Test(arguments: [
        Course(
            """
            a  -1---2-|
               ^------!
            b  --3------4-|
               ^----------!
            =  -13--2---4-|
            """),
        Course(
            """
            a  |
               *
            b  --3-|
               ^---!
            =  --3-|
            """),
        Course(
            """
            a  |
               *
            b  --|
               ^-!
            =  --|
            """),
        Course(
            """
            a  ---
               ^----!
            b  --3-|
               ^---!
            =  --3-
               ^----!
            """),
        Course(
            """
            a  -1-#
               ^--!
            b  --3---|
               ^--!
            =  -13#
            """),
        Course(
            """
            a  -1---|
               ^--!
            b  --3#
               ^--!
            =  -13#
            """),
        Course(
            """
            a  -1---2-|
               ^---!
            b  --3------4-|
               ^---!
            =  -13
               ^---!
            """),
    ])
    func `the values of all are delivered as they come, and the end when all have completed (Laws MERGE1, MERGE2)`(_ course: Course) {
        course.holds { merge($0.a, $0.b) }
        course.holds { $0.a.merge(with: $0.b) }
        course.holds { merge([$0.a, $0.b]) }
    }

    @Test(arguments: [
        Course(
            """
            hot a  -1-----2|
                   ^-------!
            hot b  -3-----|
                   ^------!
            =      -(13)--2|
            """),
        Course(
            """
            hot b  -3-----|
                   ^------!
            hot a  -1-----2|
                   ^-------!
            =      -(31)--2|
            """),
        Course(
            """
            hot a  -1#
                   ^-!
            hot b  --3--|
                   ^-!
            =      -1#
            """),
        Course(
            """
            hot b  --3--|
                   ^-!
            hot a  -1#
                   ^-!
            =      -1(3#)
            """),
    ])
    func `of what comes in the same second, what comes first is first (Law MERGE1)`(_ course: Course) {
        course.holds { merge($0.a, $0.b) }
    }

    @Test func `of what comes in one turn, what the arguments name first is first (Law MERGE3)`() {
        Course("-1-----|", "^------!", "-(ab)--|").holds { laboratory in
            merge(laboratory.a.map { _ in "a" }, laboratory.a.map { _ in "b" })
        }
        Course("-1-----|", "^------!", "-(ba)--|").holds(in: [.byHeight]) { laboratory in
            merge(merge(laboratory.a.map { _ in "b" }, .empty()), laboratory.a.map { _ in "a" })
        }
    }

    @Test func `of none it completes at once (Law MERGE2)`() {
        Course("= |").holds { _ in merge([Observable<String>]()) }
    }

    @Test func `what is begun is told of what others have delivered as it is begun (Law MERGE1)`() {
        Course("= (12|)").holds { _ in merge(.just("1"), .just("2")) }
        Course("= (12|)").holds { _ in merge(.from(["1", "2", "3"]), .just("4")).prefix(2) }
    }
}
