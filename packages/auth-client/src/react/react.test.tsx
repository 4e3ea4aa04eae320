import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { setUp, credentials } from '../../test/fixtures.ts'
import {
  AuthProvider,
  RequireDashboardAccess,
  useAuthClient,
  useSession,
  useTokenDetails,
} from './index.ts'

// Changes after the first render are tested in a real browser: test/browser.test.ts.

function Page() {
  const { status } = useSession()
  const { is_valid, is_expired, isPending } = useTokenDetails()
  return <p>{JSON.stringify({ status, is_valid, is_expired, isPending })}</p>
}

const text = (html: string) => html.replaceAll('&quot;', '"')

test('a server shows no session, even if its client signed someone in', async () => {
  const { client } = await setUp()
  await client.signIn(credentials)
  const page = (
    <AuthProvider client={client}>
      <Page />
      <RequireDashboardAccess pending="pending" signedOut="out" refused="no" unverified="later">
        private
      </RequireDashboardAccess>
    </AuthProvider>
  )
  const html = text(renderToString(page))
  expect(html).toContain('{"status":"signedOut","is_valid":false,"is_expired":true,')
  expect(html).toContain('"isPending":true}</p>pending')
})

test('a hook without a provider says so', () => {
  function Lost() {
    useAuthClient()
    return null
  }
  expect(() => renderToString(<Lost />)).toThrow('useAuthClient needs an AuthProvider above it')
})
