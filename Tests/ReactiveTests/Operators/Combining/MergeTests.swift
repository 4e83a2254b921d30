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
    func `merge forwards all values as they arrive, and completes after all sources (Laws MERGE1, MERGE2)`(
        _ course: Course
    ) {
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
    func `values in the same second keep their order (Law MERGE1)`(_ course: Course) {
        course.holds { merge($0.a, $0.b) }
    }

    @Test func `values of one turn have the order of the arguments (Law MERGE3)`() {
        Course("-1-----|", "^------!", "-(ab)--|").holds { laboratory in
            merge(laboratory.a.map { _ in "a" }, laboratory.a.map { _ in "b" })
        }
        Course("-1-----|", "^------!", "-(ba)--|").holds(in: [.byHeight]) { laboratory in
            merge(merge(laboratory.a.map { _ in "b" }, .empty()), laboratory.a.map { _ in "a" })
        }
    }

    @Test func `merge without sources completes at once (Law MERGE2)`() {
        Course("= |").holds { _ in merge([Observable<String>]()) }
    }

    @Test func `a late subscription receives the values that others delivered at the start (Law MERGE1)`() {
        Course("= (12|)").holds { _ in merge(.just("1"), .just("2")) }
        Course("= (12|)").holds { _ in merge(.from(["1", "2", "3"]), .just("4")).prefix(2) }
    }
}
