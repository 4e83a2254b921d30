import Reactive
import Testing

struct ZipTests {
    @Test(arguments: [
        Course(
            """
            a  -12-------|
               ^---------!
            b  ---3--4-----|
               ^---------!
            =  ---x--y---|  x:13 y:24
            """),
        Course(
            """
            a  -12-----5-|
               ^---------!
            b  ---3--4-----|
               ^-----------!
            =  ---x--y-----|  x:13 y:24
            """),
        Course(
            """
            a  -12-----5----|
               ^------------!
            b  ---3--4-----6--|
               ^------------!
            =  ---x--y-----z|  x:13 y:24 z:56
            """),
        Course(
            """
            a  -12|
               ^--!
            b  -----3--4-----|
               ^-------!
            =  -----x--(y|)  x:13 y:24
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
               ^----!
            b  ---
               ^-----!
            =  ---
               ^-----!
            """),
        Course(
            """
            a  -12-#
               ^---!
            b  ---3----|
               ^---!
            =  ---x#  x:13
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
    func `zip pairs the first values, the second, and so on (Laws ZIP1, ZIP2)`(_ course: Course) {
        course.holds { zip($0.a, $0.b) }
        course.holds { zip([$0.a, $0.b]) }
    }

    @Test(arguments: [
        Course(
            """
            hot a  -1--2|
                   ^----!
            hot b  -3--4|
                   ^----!
            =      -x--y|  x:13 y:24
            """),
        Course(
            """
            hot b  -3--4|
                   ^----!
            hot a  -1--2|
                   ^----!
            =      -x--y|  x:13 y:24
            """),
        Course(
            """
            hot a  -1-|
                   ^--!
            hot b  ---3--|
                   ^--!
            =      ---(x|)  x:13
            """),
        Course(
            """
            hot b  ---3--|
                   ^--!
            hot a  -1-|
                   ^--!
            =      ---(x|)  x:13
            """),
        Course(
            """
            hot a  -1-#
                   ^--!
            hot b  ---3--|
                   ^--!
            =      ---#
            """),
        Course(
            """
            hot b  ---3--|
                   ^--!
            hot a  -1-#
                   ^--!
            =      ---(x#)  x:13
            """),
    ])
    func `in the same second, a failure comes before or after a pair (Law ZIP1)`(_ course: Course) {
        course.holds { zip($0.a, $0.b) }
    }

    @Test(arguments: [
        Course(
            """
            hot a  -14-----|
                   ^-----!
            hot b  --25----|
                   ^-----!
            hot c  ---3-6|
                   ^-----!
            =      ---x-y|  x:123 y:456
            """),
        Course(
            """
            hot c  ---3-6|
                   ^----!
            hot b  --25-|
                   ^----!
            hot a  -14-----|
                   ^----!
            =      ---x-(y|)  x:123 y:456
            """),
        Course(
            """
            hot a  -14--|
                   ^-!
            hot b  --#
                   ^-!
            hot c  ---3-6|
                   ^-!
            =      --#
            """),
    ])
    func `zip of three (Laws ZIP1, ZIP2)`(_ course: Course) {
        course.holds { zip($0.a, $0.b, $0.c) }
        course.holds { zip([$0.a, $0.b, $0.c]) }
    }

    @Test(arguments: [
        Course(
            """
            hot a  -15-----|
                   ^-----!
            hot b  --26----|
                   ^-----!
            hot c  ---37---|
                   ^-----!
            hot d  ---4-8|
                   ^-----!
            =      ---x-y|  x:1234 y:5678
            """),
        Course(
            """
            hot d  ---4-8|
                   ^--!
            hot c  --3|
                   ^--!
            hot b  --26----|
                   ^--!
            hot a  -15-----|
                   ^--!
            =      ---(x|)  x:1234
            """),
        Course(
            """
            hot a  -14--|
                   ^-!
            hot b  --3--|
                   ^-!
            hot c  ---3-6|
                   ^-!
            hot d  --#
                   ^-!
            =      --#
            """),
    ])
    func `zip of four (Laws ZIP1, ZIP2)`(_ course: Course) {
        course.holds { zip($0.a, $0.b, $0.c, $0.d) }
        course.holds { zip([$0.a, $0.b, $0.c, $0.d]) }
    }

    @Test func `zip without sources completes at once (Law ZIP2)`() {
        Course("= |").holds { _ in zip([Observable<String>]()) }
    }

    @Test func `values of one turn are paired in order, and none is lost (Laws ZIP1, T9)`() {
        Course("= (xy|) x:13 y:24").holds { _ in zip(.from(["1", "2"]), .from(["3", "4", "5"])) }
        Course("-1-|", "^--!", "-x-|  x:1a1b").holds { laboratory in
            zip(laboratory.a.map { $0 + "a" }, laboratory.a.map { $0 + "b" })
        }
    }
}
