/* SPDX-License-Identifier: MIT */
/*
 * resource_forms.c - see resource_forms.h. By kind, then by library. A class
 * that lacks the field is known all the same, but not whether its objects are
 * closed.
 */
#include "report/resource_forms.h"

#define SESSION HPROF_RESOURCE_SESSION
#define CONTEXT HPROF_RESOURCE_CONTEXT
#define CONNECTION HPROF_RESOURCE_CONNECTION
#define STATEMENT HPROF_RESOURCE_STATEMENT
#define CLIENT HPROF_RESOURCE_CLIENT
#define POOL HPROF_RESOURCE_POOL

#define PLAIN NULL, HP_CLOSED_UNKNOWN
#define IF_TRUE(field) field, HP_CLOSED_IF_TRUE
#define IF_FALSE(field) field, HP_CLOSED_IF_FALSE
#define IF_NULL(field) field, HP_CLOSED_IF_NULL
#define IF_NOT_NEGATIVE(field) field, HP_CLOSED_IF_NOT_NEGATIVE

const struct hp_resource_form hp_resource_forms[] = {
	{ "org.apache.catalina.session.StandardSession", SESSION,
	  IF_FALSE("isValid") },
	{ "org.eclipse.jetty.server.session.Session", SESSION, PLAIN },
	{ "org.eclipse.jetty.session.ManagedSession", SESSION, PLAIN },
	{ "io.undertow.server.session.InMemorySessionManager$SessionImpl",
	  SESSION, PLAIN },
	{ "org.springframework.session.MapSession", SESSION, PLAIN },
	{ "org.apache.shiro.session.mgt.SimpleSession", SESSION, PLAIN },
	{ "com.vaadin.server.VaadinSession", SESSION, PLAIN },
	{ "com.vaadin.flow.server.VaadinSession", SESSION, PLAIN },

	{ "org.hibernate.internal.SessionImpl", CONTEXT, IF_TRUE("closed") },
	{ "org.hibernate.internal.StatelessSessionImpl", CONTEXT,
	  IF_TRUE("closed") },
	{ "org.hibernate.impl.SessionImpl", CONTEXT, IF_TRUE("closed") },
	{ "org.eclipse.persistence.internal.jpa.EntityManagerImpl", CONTEXT,
	  IF_FALSE("isOpen") },
	{ "org.apache.openjpa.kernel.BrokerImpl", CONTEXT, IF_TRUE("_closed") },
	{ "org.apache.ibatis.session.defaults.DefaultSqlSession", CONTEXT,
	  PLAIN },

	{ "org.h2.jdbc.JdbcConnection", CONNECTION, IF_NULL("session") },
	{ "org.hsqldb.jdbc.JDBCConnection", CONNECTION, IF_TRUE("isClosed") },
	{ "org.apache.derby.impl.jdbc.EmbedConnection", CONNECTION, PLAIN },
	{ "org.sqlite.SQLiteConnection", CONNECTION, PLAIN },
	{ "org.postgresql.jdbc.PgConnection", CONNECTION, PLAIN },
	{ "com.mysql.jdbc.ConnectionImpl", CONNECTION, IF_TRUE("isClosed") },
	{ "com.mysql.cj.jdbc.ConnectionImpl", CONNECTION, PLAIN },
	{ "org.mariadb.jdbc.Connection", CONNECTION, PLAIN },
	{ "org.mariadb.jdbc.MariaDbConnection", CONNECTION, PLAIN },
	{ "oracle.jdbc.driver.PhysicalConnection", CONNECTION, PLAIN },
	{ "com.microsoft.sqlserver.jdbc.SQLServerConnection", CONNECTION,
	  PLAIN },

	{ "org.h2.jdbc.JdbcStatement", STATEMENT, IF_NULL("session") },
	{ "org.postgresql.jdbc.PgStatement", STATEMENT, IF_TRUE("isClosed") },
	{ "com.mysql.jdbc.StatementImpl", STATEMENT, IF_TRUE("isClosed") },
	{ "com.mysql.cj.jdbc.StatementImpl", STATEMENT, IF_TRUE("isClosed") },
	{ "oracle.jdbc.driver.OracleStatement", STATEMENT, IF_TRUE("closed") },
	{ "com.microsoft.sqlserver.jdbc.SQLServerStatement", STATEMENT,
	  IF_TRUE("bIsClosed") },

	{ "jdk.internal.net.http.HttpClientImpl", CLIENT, PLAIN },
	{ "okhttp3.OkHttpClient", CLIENT, PLAIN },
	{ "org.apache.http.impl.client.InternalHttpClient", CLIENT, PLAIN },
	{ "org.apache.hc.client5.http.impl.classic.InternalHttpClient", CLIENT,
	  PLAIN },
	{ "io.grpc.internal.ManagedChannelImpl", CLIENT, PLAIN },

	/* The sign of ctl says that a pool runs. */
	{ "java.util.concurrent.ThreadPoolExecutor", POOL,
	  IF_NOT_NEGATIVE("ctl.value") },
	{ "org.apache.tomcat.util.threads.ThreadPoolExecutor", POOL,
	  IF_NOT_NEGATIVE("ctl.value") },
	{ "java.util.concurrent.ForkJoinPool", POOL, PLAIN },
	{ "java.util.Timer", POOL, PLAIN },

	{ "java.lang.Thread", HPROF_RESOURCE_THREAD, PLAIN },
	{ "java.lang.ClassLoader", HPROF_RESOURCE_LOADER, PLAIN },
};
const size_t hp_resource_form_count =
	sizeof hp_resource_forms / sizeof *hp_resource_forms;
