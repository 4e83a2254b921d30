import Glibc
import HeadwaterServer

exit(Headwater.run())
