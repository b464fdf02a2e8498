set -e
: "${INSIGHTS_PORT:=4010}"
export INSIGHTS_PORT INSIGHTS_DOUBLE_URL="http://127.0.0.1:$INSIGHTS_PORT"
npx start-server-and-test double "$INSIGHTS_DOUBLE_URL" client
