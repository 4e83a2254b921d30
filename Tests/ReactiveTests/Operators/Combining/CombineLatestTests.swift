import Reactive
import Testing

struct CombineLatestTests {
    @Test(arguments: [
        Course(
            """
            a  -1---2-----|
               ^----------!
            b  ---3---4-|
               ^--------!
            =  ---x-y-z---|  x:13 y:23 z:24
            """),
        Course(
            """
            a  -1-2-|
               *
            b  |
               *
            =  |
            """),
        Course(
            """
            a  -1-2-|
               ^-!
            b  --|
               ^-!
            =  --|
            """),
        Course(
            """
            a  -1|
               ^-!
            b  ----3-|
               ^-----!
            =  ----x-|  x:13
            """),
        Course(
            """
            a  -1-2-|
               ^----!
            b  ---
               ^-----!
            =  ---
               ^-----!
            """),
        Course(
            """
            a  -1---#
               ^----!
            b  ---3----|
               ^----!
            =  ---x-#  x:13
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
            a  -1---2-----|
               ^---!
            b  ---3---4-|
               ^---!
            =  ---x  x:13
               ^---!
            """),
    ])
    func `combineLatest delivers the latest values once both sources have one (Laws COMBINELATEST1, COMBINELATEST2)`(
        _ course: Course
    ) {
        course.holds { combineLatest($0.a, $0.b) }
        course.holds { combineLatest([$0.a, $0.b]) }
    }

    @Test(arguments: [
        Course(
            """
            hot a  -1----2----|
                   ^----------!
            hot b  -3----4---|
                   ^---------!
            =      -x----(yz)-|  x:13 y:23 z:24
            """),
        Course(
            """
            hot b  -3----4---|
                   ^---------!
            hot a  -1----2----|
                   ^----------!
            =      -x----(yz)-|  x:13 y:14 z:24
            """),
        Course(
            """
            hot a  -1-#
                   ^--!
            hot b  ---4---|
                   ^--!
            =      ---#
            """),
        Course(
            """
            hot b  ---4---|
                   ^--!
            hot a  -1-#
                   ^--!
            =      ---(x#)  x:14
            """),
    ])
    func `values in the same second are combined one by one (Law COMBINELATEST1)`(_ course: Course) {
        course.holds { combineLatest($0.a, $0.b) }
    }

    @Test(arguments: [
        Course(
            """
            hot a  -1------5---|
                   ^-----------!
            hot b  --2----|
                   ^------!
            hot c  ---3----6--|
                   ^----------!
            =      ---x----(yz)|  x:123 y:523 z:526
            """),
        Course(
            """
            hot c  ---3----6--|
                   ^----------!
            hot b  --2----|
                   ^------!
            hot a  -1------5---|
                   ^-----------!
            =      ---x----(yz)|  x:123 y:126 z:526
            """),
        Course(
            """
            hot a  -1--|
                   ^-!
            hot b  --|
                   ^-!
            hot c  -2---|
                   ^-!
            =      --|
            """),
        Course(
            """
            hot a  -1--|
                   ^-!
            hot b  ---4
                   ^-!
            hot c  -2#
                   ^-!
            =      --#
            """),
    ])
    func `combineLatest of three (Laws COMBINELATEST1, COMBINELATEST2)`(_ course: Course) {
        course.holds { combineLatest($0.a, $0.b, $0.c) }
        course.holds { combineLatest([$0.a, $0.b, $0.c]) }
    }

    @Test(arguments: [
        Course(
            """
            hot a  -1-----5----|
                   ^-----------!
            hot b  --2----6----|
                   ^-----------!
            hot c  ---3--------|
                   ^-----------!
            hot d  ----4-------|
                   ^-----------!
            =      ----x--(yz)-|  x:1234 y:5234 z:5634
            """),
        Course(
            """
            hot d  ----4--8----|
                   ^-----------!
            hot c  ---3---7----|
                   ^-----------!
            hot b  --2---------|
                   ^-----------!
            hot a  -1----------|
                   ^-----------!
            =      ----x--(yz)-|  x:1234 y:1238 z:1278
            """),
        Course(
            """
            hot a  -1--|
                   ^-!
            hot b  -2--|
                   ^-!
            hot c  -3--|
                   ^-!
            hot d  --|
                   ^-!
            =      --|
            """),
        Course(
            """
            hot a  -1--|
                   ^-!
            hot b  -2#
                   ^-!
            hot c  -3--|
                   ^-!
            hot d  ----|
                   ^-!
            =      --#
            """),
    ])
    func `combineLatest of four (Laws COMBINELATEST1, COMBINELATEST2)`(_ course: Course) {
        course.holds { combineLatest($0.a, $0.b, $0.c, $0.d) }
        course.holds { combineLatest([$0.a, $0.b, $0.c, $0.d]) }
    }

    @Test func `of failures in one turn, the first ends combineLatest (Law COMBINELATEST2)`() {
        Course("= # #:Refused").holds { _ in
            combineLatest(Observable<Int>.failed(Refused()), Observable<Int>.failed(Broken()))
        }
    }

    @Test func `combineLatest without sources completes at once (Law COMBINELATEST2)`() {
        Course("= |").holds { _ in combineLatest([Observable<String>]()) }
    }

    /// Law T9: by height, a joint sees the settled values; on arrival, it sees each one (Law T10).
    @Test func `of several values in one turn, only the last is combined`() {
        let settled = Course("-1------2------|", "^--------------!", "-x------y------|  x:1a1b y:2a2b")
        settled.holds(in: [.byHeight]) { laboratory in
            combineLatest(laboratory.a.map { $0 + "a" }, laboratory.a.map { $0 + "b" })
        }
        let passing = Course("-1------2------|", "^--------------!", "-x------(yz)---|  x:1a1b y:2a1b z:2a2b")
        passing.holds(in: [.onArrival]) { laboratory in
            combineLatest(laboratory.a.map { $0 + "a" }, laboratory.a.map { $0 + "b" })
        }
        Course("= (x|) x:34").holds(in: [.byHeight]) { _ in combineLatest(.from(["1", "3"]), .from(["2", "4"])) }
        Course("= (xy|) x:32 y:34").holds(in: [.onArrival]) { _ in combineLatest(.from(["1", "3"]), .from(["2", "4"])) }
    }
}
