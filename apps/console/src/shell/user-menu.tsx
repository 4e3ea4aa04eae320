import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useRouteContext } from '@tanstack/react-router'
import { ChevronsUpDown, CircleUser } from 'lucide-react'
import { useId, useRef } from 'react'
import { useAccountLanguage } from '../session/account-language.ts'
import { profileQuery } from '../session/profile.ts'
import { type Viewer, infoQuery } from '../session/session.ts'
import { Link } from '../ui/link/link.tsx'
import { Preferences } from '../ui/preferences/preferences.tsx'
import { useAfterLoad } from '../ui/page/use-after-load.ts'
import styles from './user-menu.module.css'

/** The signed-in person and their preferences, at the bottom of the side menu. */
export function UserMenu() {
  const { t } = useLingui()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const from = useLocation({ select: ({ href }) => href })
  const id = useId()
  const panel = useRef<HTMLDivElement>(null)
  const profile = useProfile()
  const saveLanguage = useAccountLanguage(profile)
  const { name, email } = profile ?? {}
  const role = useRoleName(viewer)
  const title = name ?? email ?? role
  return (
    <>
      <button type="button" className={styles.button} popoverTarget={id}>
        <CircleUser size={20} aria-hidden />
        <span className={styles.who}>
          <bdi className={styles.name}>{title}</bdi>
          {title !== role && <span className={styles.role}>{role}</span>}
        </span>
        <ChevronsUpDown size={14} aria-hidden />
        <span className="visually-hidden">{t`: account and settings`}</span>
      </button>
      <div ref={panel} id={id} popover="auto" className={styles.panel}>
        <div className={styles.facts}>
          {name && <bdi className={styles.name}>{name}</bdi>}
          {email && <bdi className="muted">{email}</bdi>}
          <span className="muted">{role}</span>
        </div>
        <Preferences isLabelled onLanguage={saveLanguage} />
        <Link
          to="/dashboard/cedar/account"
          prefetch="none"
          className={styles.link}
          onClick={() => panel.current?.hidePopover()}
        >
          {t`Account settings`}
        </Link>
        <Link
          to="/docs"
          search={{ from }}
          prefetch="none"
          onClick={() => panel.current?.hidePopover()}
        >
          {t`Help`}
        </Link>
      </div>
    </>
  )
}

/** The account, if the service exposes accounts; fetched after the page has loaded. */
function useProfile() {
  const isQuiet = useAfterLoad()
  const { data: service } = useQuery({ ...infoQuery, enabled: isQuiet })
  const hasAccounts = service?.methods?.includes('account') ?? false
  return useQuery({ ...profileQuery, enabled: isQuiet && hasAccounts }).data
}

function useRoleName({ isAdmin }: Viewer) {
  const { t } = useLingui()
  return isAdmin ? t`Administrator` : t`Developer`
}
