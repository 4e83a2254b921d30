import Reactive
import Testing

struct PrependTests {
    @Test(arguments: [
        Course("-1-2-|", "^----!", "91-2-|"),
        Course("---|", "^--!", "9--|"),
        Course("----", "^---!", "9", until: "^---!"),
        Course("---#", "^--!", "9--#"),
        Course("---1-|", "^-!", "9--", until: "^-!"),
    ])
    func `prepend delivers values at once, before all others (Law PREPEND1)`(_ course: Course) {
        course.holds { $0.a.prepend("9") }
    }

    @Test(arguments: [
        Course(
            """
            a  -1-2-|
               --^----!
            b  -3|
               ^-!
            =  -3-1-2-|
            """),
        Course(
            """
            a  -1-2-|
               ^----!
            b  |
               *
            =  -1-2-|
            """),
        Course(
            """
            a  -1-2-|
            b  ---
               ^---!
            =  ----
               ^---!
            """),
        Course(
            """
            a  -1-2-|
            b  -3#
               ^-!
            =  -3#
            """),
        Course(
            """
            a  -1-2-|
               --^-!
            b  -3|
               ^-!
            =  -3-1
               ^---!
            """),
        Course(
            """
            hot a  -1-2-|
                   ---^-!
            hot b  ---|
                   ^--!
            =      -----|
            """),
        Course(
            """
            hot b  ---|
                   ^--!
            hot a  -1-2-|
                   ---^-!
            =      ---2-|
            """),
    ])
    func `prepend delivers another observable first (Law PREPEND1)`(_ course: Course) {
        course.holds { $0.a.prepend($0.b) }
    }
}
