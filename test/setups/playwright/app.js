// The app under test: a page that lists insights, and deletes the first. Its origin differs from that of the double.
const { createServer } = require('node:http')

const page = `<!doctype html><title>Insights</title><ul></ul><button>Delete</button><p></p><script>
const api = '${process.env.INSIGHTS_DOUBLE_URL}'
const headers = { authorization: 'Bearer ada-token' }
const list = async () => {
  const response = await fetch(api + '/insights' + location.search, { headers })
  if (!response.ok) return (document.querySelector('p').textContent = 'Failed: ' + response.status)
  document.querySelector('p').textContent = ''
  const insights = await response.json()
  document.querySelector('ul').replaceChildren(...insights.map(({ id }) => Object.assign(document.createElement('li'), { textContent: id })))
}
document.querySelector('button').onclick = async () => {
  await fetch(api + '/insights/' + document.querySelector('li').textContent, { method: 'DELETE', headers })
  await list()
}
list()
</script>`
createServer((request, response) => response.setHeader('content-type', 'text/html').end(page)).listen(
  process.env.APP_PORT,
  '127.0.0.1',
)
