import test from 'ava'
import type { DoubleHandle } from 'insights-double'

import { asList, asObject } from './helpers/as-object-or-list.js'
import { control } from './helpers/control.js'
import { serve } from './helpers/double.js'
import { as, del, get } from './helpers/http.js'

async function lines(double: DoubleHandle, query: string): Promise<ReturnType<typeof asObject>> {
  return asObject(JSON.parse((await control(double, 'GET', `/request-lines${query}`)).text))
}

const urls = async (double: DoubleHandle, query: string): Promise<readonly unknown[]> =>
  asList((await lines(double, query))['lines']).map((line) => asObject(line)['url'])

test('request lines can be filtered, begin with the newest, and have neither header fields nor bodies', async (t) => {
  const double = await serve(t)
  await get(double, '/insights', as('ada'))
  const { headers } = await get(double, '/insights?limit=abc', as('grace'))
  await del(double, '/insights/monstera-watering', as('ada'))
  t.deepEqual(await urls(double, ''), ['/insights/monstera-watering', '/insights?limit=abc', '/insights'])
  t.deepEqual(await urls(double, '?limit=1'), ['/insights/monstera-watering'])
  t.deepEqual(await urls(double, '?operation=listInsights&caller=ada'), ['/insights'])
  t.deepEqual(await urls(double, '?verdict=violation'), ['/insights?limit=abc'])
  t.deepEqual(await urls(double, '?status=204'), ['/insights/monstera-watering'])
  t.deepEqual(await urls(double, '?q=delete%20/INSIGHTS'), ['/insights/monstera-watering'])
  t.deepEqual(await urls(double, '?q=must be an integer'), ['/insights?limit=abc'])
  t.deepEqual(await urls(double, '?q=nothing'), [])
  const id = headers['x-request-id'] ?? ''
  t.deepEqual(await urls(double, `?after=${id}`), ['/insights/monstera-watering'])
  const all = await lines(double, '?status=404')
  t.like(all, { matched: 0, total: 3, evicted: 0 })
  t.false(JSON.stringify(await lines(double, '')).includes('host'))
})
