import { expiringDays } from '@grove/contract/maple/access/account.rules'
import { icSerial } from '@grove/secure-element/cplc'
import type { Failure } from '@grove/contract/cedar/failure'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { isCallLacking } from '../../api/problem.ts'
import { PartFailure } from '../../ui/failure/part-failure.tsx'
import { DateText } from '../../ui/i18n/date-text.tsx'
import { currentLocale } from '../../ui/i18n/locale.ts'
import { Link } from '../../ui/link/link.tsx'
import { Pending } from '../../ui/page/pending.tsx'
import { Section } from '../../ui/page/section.tsx'
import {
  aboutQuery,
  blockedElementsQuery,
  failingHandlersQuery,
  failuresQuery,
  pausedRolloutsQuery,
  providerRequestsQuery,
  requestsQuery,
} from './home.api.ts'
import styles from './home.module.css'

interface NeedsProps {
  hasMaple: boolean
  isAdmin: boolean
}

const shownFailures = 3

/** A third-party service may ignore the filter and leave out the field. */
const inState = <Item extends { state: string }>(
  page: { items: Item[] } | undefined,
  state: Item['state'],
) => page?.items.filter((item) => item.state === state) ?? []

/** What failed, is pending or will stop working, each with a link to where it is handled. */
export function Needs({ hasMaple, isAdmin }: NeedsProps) {
  const { t } = useLingui()
  const failures = useQuery(failuresQuery())
  const maple = {
    about: useQuery({ ...aboutQuery(), enabled: hasMaple }),
    rollouts: useQuery({ ...pausedRolloutsQuery(), enabled: hasMaple }),
    handlers: useQuery({ ...failingHandlersQuery(), enabled: hasMaple }),
    elements: useQuery({ ...blockedElementsQuery(), enabled: hasMaple }),
    requests: useQuery({ ...requestsQuery(), enabled: hasMaple }),
  }
  const { data: providers } = useQuery({ ...providerRequestsQuery(), enabled: isAdmin })
  const queries = [failures, ...(hasMaple ? Object.values(maple) : [])]
  const refused = queries.filter(({ error, data }) => error && data === undefined)
  // A third-party service may lack the call for some of these.
  const failed = refused.find(({ error }) => !isCallLacking(error))
  const isLoading = queries.some(({ isPending }) => isPending)
  const about = maple.about.data
  const waitingDevices = (about?.devices.groups ?? [])
    .filter(({ state }) => state === 'quarantined')
    .reduce((sum, { count }) => sum + count, 0)
  const requests =
    (maple.requests.data?.items.filter(({ rights }) => rights.decide === null).length ?? 0) +
    (providers?.items.length ?? 0)

  const rows: (ReactNode | false)[] = [
    ...(failures.data?.items ?? [])
      .slice(0, shownFailures)
      .map((failure) => <FailureRow key={`${failure.kind} ${failure.id}`} failure={failure} />),
    requests > 0 && (
      <Link
        key="requests"
        to="/dashboard/maple/approvals"
        search={{ state: ['pending'] }}
        prefetch="none"
      >
        {t`${plural(requests, { one: '# request waits for your approval', other: '# requests wait for your approval' })}`}
      </Link>
    ),
    waitingDevices > 0 && <WaitingDevices key="devices" count={waitingDevices} isAdmin={isAdmin} />,
    ...inState(maple.rollouts.data, 'paused').map(({ id, name }) => (
      <Link key={id} to="/dashboard/maple/rollouts/$id" params={{ id }} prefetch="none">
        {t`The rollout “${name}” is paused`}
      </Link>
    )),
    ...inState(maple.handlers.data, 'failing').map(({ id, name }) => (
      <Link key={id} to="/dashboard/maple/cloud_handlers/$id" params={{ id }} prefetch="none">
        {t`The cloud handler “${name}” is failing`}
      </Link>
    )),
    ...inState(maple.elements.data, 'blocked').map(({ cplc }) => (
      <Link
        key={cplc}
        to="/dashboard/maple/secure_elements/$cplc"
        params={{ cplc }}
        prefetch="none"
      >
        {t`The secure element ${icSerial(cplc)} is blocked: its keys did not fit`}
      </Link>
    )),
    ...(isAdmin && about
      ? [
          (about.hsm?.isReachable === false || !!about.broker?.problem) && (
            <Link key="overview" to="/dashboard/maple" prefetch="none">
              {t`A connection of Maple is broken: see its overview`}
            </Link>
          ),
          about.jobs.failed > 0 && (
            <Link
              key="jobs"
              to="/dashboard/system/jobs"
              search={{ service: 'maple', state: ['failed'] }}
              prefetch="none"
            >
              {t`${plural(about.jobs.failed, { one: '# job failed', other: '# jobs failed' })}`}
            </Link>
          ),
          about.accounts.expired > 0 && (
            <Link
              key="expired"
              to="/dashboard/maple/accounts"
              search={{ validity: ['expired'], sort: 'expiresAt', order: 'desc' }}
              prefetch="none"
            >
              {t`${plural(about.accounts.expired, { one: '# Maple account has expired', other: '# Maple accounts have expired' })}`}
            </Link>
          ),
          about.accounts.expiringSoon > 0 && (
            <Link
              key="expiring"
              to="/dashboard/maple/accounts"
              search={{ validity: ['expiring'], sort: 'expiresAt', order: 'asc' }}
              prefetch="none"
            >
              {t`${plural(about.accounts.expiringSoon, { one: `# Maple account expires within ${expiringDays} days`, other: `# Maple accounts expire within ${expiringDays} days` })}`}
            </Link>
          ),
        ]
      : []),
  ]
  const shown = rows.filter(Boolean)
  return (
    <Section title={t`Needs attention`}>
      {shown.length > 0 && (
        <ul className={styles.needs}>
          {shown.map((row, index) => (
            <li key={index}>
              <TriangleAlert size={16} aria-hidden />
              <span>{row}</span>
            </li>
          ))}
        </ul>
      )}
      {failed ? (
        <PartFailure {...failed} />
      ) : isLoading ? (
        <Pending />
      ) : shown.length > 0 ? null : refused.length > 0 ? (
        <p className="muted">{t`The services do not report what needs attention.`}</p>
      ) : (
        <p className={styles.fine}>
          <CircleCheck size={16} aria-hidden /> {t`Nothing needs you right now.`}
        </p>
      )}
    </Section>
  )
}

function WaitingDevices({ count, isAdmin }: { count: number; isAdmin: boolean }) {
  const { t } = useLingui()
  const text = t`${plural(count, { one: '# device waits to be accepted', other: '# devices wait to be accepted' })}`
  return isAdmin ? (
    <Link to="/dashboard/maple/devices" search={{ state: ['quarantined'] }} prefetch="none">
      {text}
    </Link>
  ) : (
    <Link to="/dashboard/iot" search={{ state: ['quarantined'] }} prefetch="none">
      {text}
    </Link>
  )
}

function FailureRow({ failure }: { failure: Failure }) {
  const { t } = useLingui()
  const { kind, id, productId, version, productTitles } = failure
  const locale = currentLocale()
  const title = (productTitles.find(({ localeCode }) => localeCode === locale) ?? productTitles[0])
    ?.title
  const name = title ?? productId
  return (
    <>
      {kind === 'notification' ? (
        <Link
          to="/dashboard/cedar/notifications"
          search={{ notification: id }}
          prefetch="none"
        >{t`A notification of ${name} was not sent`}</Link>
      ) : (
        <Link
          to="/dashboard/cedar/mobile/$productId/$versionId"
          params={{ productId, versionId: id }}
          prefetch="none"
        >{t`The package of ${name} ${version} was refused`}</Link>
      )}{' '}
      <span className="muted">
        <DateText value={failure.at} isRelative />
      </span>
    </>
  )
}
