#include <sqlite3.h>

/// Has a connection leave its log as it is when it is closed. The function behind it takes a variable list of arguments, which Swift cannot call.
static inline int headwater_keep_log(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
