'use client'

import { createContext, type ReactNode, useContext } from 'react'
import type { AuthClient } from '../types.ts'

const AuthContext = createContext<AuthClient | null>(null)

/** Provides the client to the components below. */
export function AuthProvider(props: { client: AuthClient; children?: ReactNode }) {
  return <AuthContext.Provider value={props.client}>{props.children}</AuthContext.Provider>
}

/** The client of the nearest `AuthProvider`. */
export function useAuthClient(): AuthClient {
  const client = useContext(AuthContext)
  if (client === null) throw new Error('useAuthClient needs an AuthProvider above it')
  return client
}
