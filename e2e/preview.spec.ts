import { newDeveloper, testAs } from './support/account.ts'
import { createApp, createVersion, miniAppZip } from './support/catalogue.ts'
import { callByWebRtc, hostileApp, startRecorder } from './support/hostile-app.ts'
import { expectAccessible, expectNoOverflow, phone, tabTo } from './support/page-checks.ts'
import { previewPage } from './support/preview-page.ts'
import { expect } from './support/test.ts'

const test = testAs(newDeveloper)
// The browser reports what it blocks of a hostile app as console errors.
const withErrors = test.extend({ page: async ({ context }, use) => use(await context.newPage()) })

test('a version runs in a phone, in its colours and language, and shows its log @long', async ({
  page,
  account,
  baseURL,
}) => {
  const product = await createApp(account, { 'en-US': 'Habit Garden' })
  const { productVersionId } = await createVersion(account, product, '1.0.0', await miniAppZip())
  await page.goto(`/dashboard/cedar/mobile/${product.productId}/${productVersionId}`)
  await page.getByRole('link', { name: 'Run a preview' }).click()
  const preview = previewPage(page)
  await expect(preview.state('Running')).toBeVisible()
  await expect(preview.app.getByRole('heading').first()).toBeVisible()
  const colourOf = () =>
    preview.app.locator('body').evaluate((body) => getComputedStyle(body).color)
  const light = await colourOf()
  await page.getByLabel('Colours of the app').selectOption('dark')
  await expect.poll(colourOf).not.toBe(light)
  await page.getByLabel('Language of the app').selectOption('ru-RU')
  await expect(preview.app.locator('html')).toHaveAttribute('lang', /^ru/)

  const other = await createVersion(account, product, '2.0.0', hostileApp(baseURL ?? '', 9))
  await preview.open(other)
  await expect(preview.state('Running')).toBeVisible()
  await preview.act('store')
  await expect(preview.lines.getByText('stored 1 en-US')).toBeVisible()
  await preview.app.getByRole('link', { name: 'second' }).press('Enter')
  await expect(preview.lines.getByText('second page has 1')).toBeVisible()
  await preview.button('Reload').click()
  await expect(preview.lines.getByText('stored')).toBeHidden()
  await preview.act('ask')
  await expect(preview.lines.getByText('camera is granted')).toBeVisible()
  await preview.tab('Permissions').click()
  await page.getByLabel('Answer to camera').selectOption('Denied')
  await expect(page.getByText('To look at you')).toBeVisible()
  await preview.act('ask')
  await preview.tab('Console').click()
  await expect(preview.lines.getByText('camera is denied')).toBeVisible()
  await page.getByLabel('Filter the console').fill('denied')
  await expect(preview.lines.getByText('camera is granted')).toBeHidden()
  await preview.button('Offline').click()
  await expect.poll(() => preview.app.locator('body').evaluate(() => navigator.onLine)).toBe(false)
  await preview.tab('On a phone').click()
  await expect(page.getByText('works on this machine only')).toBeVisible()

  await tabTo(page, preview.button('Stop'))
  await page.keyboard.press('Enter')
  await expect(preview.element).toHaveCount(0)
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectAccessible(page)
  await preview.button('Start').click()
  await expect(preview.state('Running')).toBeVisible()
  await preview.button('Full screen').click()
  await expect.poll(async () => (await preview.element.boundingBox())?.width).toBe(phone.width)
  await preview.button('Leave full screen').click()
})

withErrors(
  'a hostile mini-app reaches neither the console nor an external host',
  async ({ page, account, baseURL }) => {
    // Some refusals are silent: those time out.
    test.setTimeout(120_000)
    const recorder = await startRecorder()
    const product = await createApp(account, { 'en-US': 'Hostile' })
    const version = await createVersion(
      account,
      product,
      '1.0.0',
      hostileApp(baseURL ?? '', recorder.port),
    )
    // Without the restrictions both a request and a WebRTC packet arrive.
    const free = await page.context().newPage()
    await free.goto(recorder.url)
    await free.evaluate(callByWebRtc(recorder.port))
    expect(recorder.arrived).toEqual(expect.arrayContaining(['GET / HTTP/1.1', 'datagram']))
    await free.close()
    recorder.arrived.length = 0

    const seen: string[] = []
    page.on('dialog', (dialog) => {
      seen.push(`dialog ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('download', () => seen.push('download'))
    page.context().on('page', () => seen.push('window'))
    const calls: string[] = []
    page.on('request', (request) => {
      if (request.frame() !== page.mainFrame() && request.url().startsWith(`${baseURL}/`))
        calls.push(request.url())
    })
    const preview = previewPage(page)
    await preview.open(version)
    const address = page.url()
    await preview.act('attempt')
    const results = preview.app.locator('#results')
    await expect(results).toBeAttached({ timeout: 45_000 })
    const found = JSON.parse(await results.innerText()) as Record<string, string>
    expect(Object.keys(found).length).toBeGreaterThan(20)
    for (const [what, result] of Object.entries(found))
      // A window that does not exist returns undefined, which is fine.
      if (result !== 'got undefined') expect([what, result]).toEqual([what, 'refused'])
    await expect(preview.state('Running')).toBeVisible()
    await expect(page.getByText('as the console')).toHaveCount(0)
    // Each of these may cost the app its own page.
    for (const what of ['leak', 'form', 'ping', 'download']) {
      await preview.act(what)
      await preview.button('Reload').click()
    }
    await preview.act('leave')
    await expect(preview.state('Not responding')).toBeVisible({ timeout: 15_000 })
    expect([seen, calls, page.url()]).toEqual([[], [], address])
    expect(recorder.arrived).toEqual([])
    recorder.close()
  },
)
