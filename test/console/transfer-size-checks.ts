/** Checks of the bytes that the pages transfer. */
import { openPage } from './open-page.js'
import { fill, withDouble } from './with-double.js'

export const transfer = withDouble(async (double, browser) => {
  await fill(double)
  const sizes: string[] = []
  for (const path of ['#requests', '#state', '#faults', 'docs']) {
    const session = await openPage(browser, 'about:blank')
    let [assets, data] = [0, 0]
    session.page.on('response', (response) => {
      if (response.url().includes('/events')) return
      response.body().then(
        ({ length }) => {
          if (/assets|docs$|__admin\/$/u.test(response.url())) assets += length
          else data += length
          return length
        },
        () => 0,
      )
    })
    await session.page.goto(`${double.url}/__admin/${path}`)
    await session.page.waitForTimeout(1500)
    await session.page.context().close()
    sizes.push(`${path} ${(assets / 1000).toFixed(0)} kB of pages, ${(data / 1000).toFixed(1)} kB of data`)
  }
  return sizes.join('; ')
})
