'use client'

import { createAuthClient } from '@grove/auth-client'
import { AuthProvider } from '@grove/auth-client/react'
import { type ReactNode, useState } from 'react'
import { countClient } from './client-count.ts'

const authUrl = process.env['NEXT_PUBLIC_AUTH_URL'] ?? ''

/** As in the guide, and counted. */
export function Session({ children }: { children: ReactNode }) {
  const [auth] = useState(() => {
    countClient()
    return createAuthClient({
      authUrl,
      realm: 'grove',
      verification: { jwksUrl: '/.well-known/jwks.json' },
    })
  })
  return <AuthProvider client={auth}>{children}</AuthProvider>
}
