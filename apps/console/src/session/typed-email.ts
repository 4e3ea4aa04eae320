import { useState } from 'react'
import { readTab, writeTab } from './tab-storage.ts'

const key = 'grove.email'

export const typedEmail = () => readTab(key) ?? ''
export const keepEmail = (email: string) => writeTab(key, email === '' ? undefined : email)

/** The email typed on any of the sign-in pages, kept for the others and for coming back. */
export function useTypedEmail() {
  const [email, setEmail] = useState(typedEmail)
  const type = (value: string) => {
    keepEmail(value)
    setEmail(value)
  }
  return [email, type] as const
}
