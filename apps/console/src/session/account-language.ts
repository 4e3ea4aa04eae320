import type { LocaleCode } from '@grove/contract/locale.rules'
import type { Profile } from '@grove/contract/auth/profile'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { currentLocale, followAccount, isLocaleChosen } from '../ui/i18n/locale.ts'
import { api } from './api.ts'
import { profileQuery } from './profile.ts'

/**
 * Keeps one language for the console and for the mails of an account. A language that the reader
 * chose in this browser while signed out is saved to the account; otherwise the account's applies.
 * Returns a function that saves later choices.
 */
export function useAccountLanguage(profile: Profile | undefined) {
  const client = useQueryClient()
  const save = async (locale: LocaleCode) => {
    // Refetched: the name may have changed on another page or in another browser.
    const { name } = await client.fetchQuery({ ...profileQuery, staleTime: 0 })
    const saved = await api.auth.put('/api/user/profile', { body: { name, locale } })
    client.setQueryData(profileQuery.queryKey, saved)
    await followAccount(saved.locale)
  }
  const { id, locale } = profile ?? {}
  useEffect(() => {
    if (locale === undefined) return
    if (isLocaleChosen() && locale !== currentLocale()) void save(currentLocale()).catch(() => {})
    else void followAccount(locale)
    // oxlint-disable-next-line react/exhaustive-deps -- once per person: later choices are saved as they are made
  }, [id])
  return (locale: LocaleCode) => {
    // Not `profile`: it may have come while the texts of the language were loading.
    if (client.getQueryData(profileQuery.queryKey)) void save(locale).catch(() => {})
  }
}
