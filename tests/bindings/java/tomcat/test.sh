#!/bin/bash -e
# test.sh JAVAC JAVA JAR: haft in the web applications of a Tomcat, each with a haft.jar of its own.
javac=$1 java=$2 jar=$3
here=$(cd "$(dirname "$0")" && pwd)
tomcat=$(printf '%s:' /usr/share/java/tomcat10-{catalina,coyote,util,util-scan,juli,servlet-api,annotations-api,jni,jaspic-api,el-api,jsp-api,api}.jar)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/app/WEB-INF/lib" "$work/server"
cp "$jar" "$work/app/WEB-INF/lib"
"$javac" -cp "$jar:$tomcat" -d "$work/app/WEB-INF/classes" "$here/Predictor.java"
# What Tomcat's own start script opens, so that it can look for what an application leaves behind.
opens=(--add-opens=java.base/java.{lang,io,util,util.concurrent}=ALL-UNNAMED --add-opens=java.rmi/sun.rmi.transport=ALL-UNNAMED)
XDG_CACHE_HOME=$work/cache "$java" -Xmx256m "${opens[@]}" -cp "$tomcat" "$here/Deploy.java" "$work/app" "$work/server" 12 > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
grep deployments "$work/log"
# What Tomcat calls a leak, it says: threads, thread locals, timers that an application left.
! grep -iE 'leak|failed to stop|SEVERE|Exception' "$work/log"
