import Reactive
import Testing

struct WithLatestFromTests {
    @Test(arguments: [
        Course(
            """
            a  -1-2-3---4-|
               ^----------!
            b  --7---8-|
               ^-------!
            =  ---x-y---z-|  x:27 y:37 z:48
            """),
        Course(
            """
            a  ---|
               ^--!
            b  -7---8-|
               ^--!
            =  ---|
            """),
        Course(
            """
            a  -1-2-|
               ^----!
            b  |
               *
            =  -----|
            """),
        Course(
            """
            a  -1---
               ^----!
            b  ---
               ^----!
            =  ----
               ^----!
            """),
        Course(
            """
            a  --1-#
               ^---!
            b  -7----|
               ^---!
            =  --x-#  x:17
            """),
        Course(
            """
            a  --1-----|
               ^---!
            b  -7--#
               ^---!
            =  --x-#  x:17
            """),
        Course(
            """
            a  --1----2-|
               ^---!
            b  -7-----|
               ^---!
            =  --x  x:17
               ^---!
            """),
    ])
    func
        `withLatestFrom combines each value with the latest of another observable (Laws WITHLATESTFROM1, WITHLATESTFROM2)`(
            _ course: Course
        )
    {
        course.holds { $0.a.withLatestFrom($0.b) }
    }

    @Test(arguments: [
        Course(
            """
            hot a  -1-2-|
                   ^----!
            hot b  -7-8-|
                   ^----!
            =      ---x-|  x:27
            """),
        Course(
            """
            hot b  -7-8-|
                   ^----!
            hot a  -1-2-|
                   ^----!
            =      -x-y-|  x:17 y:28
            """),
    ])
    func `in the same second, it uses the latest value before (Law WITHLATESTFROM1)`(_ course: Course) {
        course.holds { $0.a.withLatestFrom($0.b) }
    }

    /// Law T9: by height, the other has settled before it is read; on arrival, only earlier values count (Law T10).
    @Test func `in the same turn the other is first`() {
        let combining: (Laboratory) -> Observable<(String, String)> = { laboratory in
            // Subscribed before the other, so that it delivers first.
            let early = laboratory.a.map { $0 }
            return merge(early.map { ($0, $0) }.ignoreOutput(), early.withLatestFrom(laboratory.a))
        }
        Course("-1-2-|", "^----!", "-x-y-| x:11 y:22").holds(in: [.byHeight], combining)
        Course("-1-2-|", "^----!", "---y-| y:21").holds(in: [.onArrival], combining)
    }

    @Test func `a source with an initial value has it from the beginning (Law WITHLATESTFROM1)`() {
        Course("= (xy|) x:13 y:23").holds { _ in Observable.from(["1", "2"]).withLatestFrom(.just("3")) }
    }
}
