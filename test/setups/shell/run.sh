set -e
npx insights-double run --fail-on-violation --min-coverage 40 --report report.xml -- npm run client
grep -q '<testsuites>' report.xml
