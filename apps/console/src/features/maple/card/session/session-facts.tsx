import type { ElementSession } from '@grove/contract/maple/card/session'
import { icSerial } from '@grove/secure-element/cplc'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Fact, FactLine } from '../../../../ui/text/fact-line.tsx'
import { hexVersion } from '../hex-version.ts'
import { Person } from '../../../../people/person.tsx'
import { useSessionWords } from './session.labels.tsx'

/** The facts about a session that its log does not show. */
export function SessionFacts({ session }: { session: ElementSession }) {
  const { t } = useLingui()
  const { purposes, transports } = useSessionWords()
  const { cplc, deviceId, channel, purpose, transport, openedBy, openedAt, heldBy, replayOf } =
    session
  return (
    <FactLine>
      <Fact name={t`Element`}>
        <Link to="/dashboard/maple/secure_elements/$cplc" params={{ cplc }} preload={false}>
          <code>{icSerial(cplc)}</code>
        </Link>
      </Fact>
      {deviceId !== null && (
        <Fact name={t`Device`}>
          <Link to="/dashboard/maple/devices/$deviceId" params={{ deviceId }} preload={false}>
            <bdi>{session.deviceName ?? deviceId}</bdi>
          </Link>
        </Fact>
      )}
      <Fact name={t`Purpose`}>
        {purposes[purpose]}
        {replayOf !== null && (
          <>
            {' '}
            <Link to="/dashboard/maple/sessions/se/$id" params={{ id: replayOf }} preload={false}>
              <Trans>of this session</Trans>
            </Link>
          </>
        )}
      </Fact>
      <Fact name={t`Reached through`}>{transports[transport]}</Fact>
      <Fact name={t`Opened`}>
        <Person id={openedBy} isCopyable />, <DateText value={openedAt} isRelative />
      </Fact>
      {session.endedAt === null ? (
        <Fact name={t`Commands by`}>
          <Person id={heldBy} isCopyable />
        </Fact>
      ) : (
        <Fact name={t`Ended`}>
          <DateText value={session.endedAt} isRelative />
        </Fact>
      )}
      <Fact name={t`Secure channel`}>
        {channel ? (
          <Trans>
            {channel.protocol} (i = {channel.implementation}), level {channel.level}, key version{' '}
            {hexVersion(channel.keyVersion)}
          </Trans>
        ) : (
          <span className="muted">{t({ message: 'none', context: 'a secure channel' })}</span>
        )}
      </Fact>
    </FactLine>
  )
}
