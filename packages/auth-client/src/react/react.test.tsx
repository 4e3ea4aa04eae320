import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { setUp, credentials } from '../../test/fixtures.ts'
import { AuthProvider, useAuthClient, useSession, useTokenDetails } from './index.ts'

// What changes after the first render is tested in a real browser: test/browser.test.ts.

function Page() {
  const { status } = useSession()
  const { is_valid, is_expired, isPending } = useTokenDetails()
  return <p>{JSON.stringify({ status, is_valid, is_expired, isPending })}</p>
}

const text = (html: string) => html.replaceAll('&quot;', '"')

test('the first render shows the session as it is, and a token not yet verified', async () => {
  const { client } = await setUp()
  const page = (
    <AuthProvider client={client}>
      <Page />
    </AuthProvider>
  )
  const unverified = '"is_valid":false,"is_expired":true,"isPending":true'
  expect(text(renderToString(page))).toContain(`{"status":"signedOut",${unverified}}`)
  await client.signIn(credentials)
  expect(text(renderToString(page))).toContain(`{"status":"signedIn",${unverified}}`)
})

test('a hook without a provider says so', () => {
  function Lost() {
    useAuthClient()
    return null
  }
  expect(() => renderToString(<Lost />)).toThrow('useAuthClient needs an AuthProvider above it')
})
