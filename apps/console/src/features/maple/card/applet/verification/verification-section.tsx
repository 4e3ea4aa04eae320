import type { Applet, CapVerified } from '@grove/contract/maple/card/applet'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '../../../../../ui/link/link.tsx'
import { Rows } from '../../../../../ui/page/rows.tsx'
import { Section } from '../../../../../ui/page/section.tsx'
import { SmallTable, type SmallColumn } from '../../../../../ui/table/small-table.tsx'
import { StateBadge } from '../../../../../ui/text/state-badge.tsx'
import { verificationQuery } from '../applet.api.ts'
import { useCapFindingText } from './cap-finding-text.ts'
import styles from './verification.module.css'

/** The findings of a CAP file's verification, and what it did not check. */
export function VerificationSection({ applet }: { applet: Applet }) {
  const { t } = useLingui()
  const verification = useQuery(verificationQuery(applet.id))
  const { data } = verification
  return (
    <Section
      title={t`Verification`}
      description={t`The structure of the file and every reference in it, as a developer’s build should have left them.`}
      loading={verification}
    >
      {data && <Verified data={data} />}
    </Section>
  )
}

function Verified({ data }: { data: CapVerified }) {
  const { t } = useLingui()
  const { findings, methods, instructions, hasDescriptor, isTruncated, former } = data
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const isUnlinkable = findings.some(({ stopsLoading }) => stopsLoading)
  return (
    <div className={styles.verified}>
      <p>
        {errors > 0 ? (
          <StateBadge kind="bad" text={t`Errors found`} />
        ) : findings.length > 0 ? (
          <StateBadge kind="warning" text={t`Warnings found`} />
        ) : (
          <StateBadge kind="good" text={t`No errors found`} />
        )}{' '}
        <span className="muted">
          <Plural value={methods} one="# method" other="# methods" />
          {', '}
          <Plural value={instructions} one="# instruction" other="# instructions" />
        </span>
      </p>
      {isUnlinkable ? (
        <p>
          <Trans>
            A card cannot link this package, so it is installed on software cards alone.
          </Trans>
        </p>
      ) : (
        errors > 0 && (
          <p>
            <Trans>
              Cards hardly verify code: the package may be installed and then fail, or harm the
              card.
            </Trans>
          </p>
        )
      )}
      {findings.length > 0 && <FindingTable findings={findings} />}
      {isTruncated && (
        <p className="muted">
          <Trans>There are more findings than these, or more code than was looked at.</Trans>
        </p>
      )}
      {former && <Former former={former} />}
      <p className="muted">
        <Trans>
          Not checked: the types of values along the code, as Oracle’s verifier does, the export
          files of imported packages, and what the code does when it runs.
        </Trans>{' '}
        {!hasDescriptor && (
          <Trans>
            The file has no Descriptor component, so code that nothing refers to was not looked at.
          </Trans>
        )}
      </p>
    </div>
  )
}

function FindingTable({ findings }: Pick<CapVerified, 'findings'>) {
  const { t } = useLingui()
  const columns = useFindingColumns()
  return (
    <div className={styles.findings}>
      <SmallTable
        label={t`Findings`}
        rows={findings}
        // Findings have no ids, and their order is fixed.
        rowId={(_, index) => index}
        columns={columns}
      />
    </div>
  )
}

const hex = (value: number) => value.toString(16).toUpperCase().padStart(4, '0')

/** A method by its number and place, and by the tokens of its class and its own. */
function MethodName({ method }: Pick<CapVerified['findings'][number], 'method'>) {
  if (!method) return '–'
  const { number, offset, block, classToken, token } = method
  const place = block === null ? hex(offset) : `${block}:${hex(offset)}`
  // 255 is the token of methods not visible to other packages.
  const shown = (each: number | null) => (each === null || each === 255 ? '–' : String(each))
  const [ofClass, ofMethod] = [shown(classToken), shown(token)]
  return (
    <>
      {number} <code>{place}</code>
      {classToken !== null && (
        <small className="muted">
          {' '}
          <Trans>
            class {ofClass}, token {ofMethod}
          </Trans>
        </small>
      )}
    </>
  )
}

function useFindingColumns(): SmallColumn<CapVerified['findings'][number]>[] {
  const { t } = useLingui()
  const textOf = useCapFindingText()
  return [
    { header: t`Component`, cell: ({ component }) => component },
    { header: t`Method`, cell: ({ method }) => <MethodName method={method} /> },
    {
      header: t({ message: 'Offset', context: 'in a component' }),
      cell: ({ offset }) => (offset === null ? '–' : <code>{hex(offset)}</code>),
    },
    { header: t`What is wrong`, cell: textOf },
  ]
}

/** What packages that import the previous version would no longer find. */
function Former({ former }: { former: NonNullable<CapVerified['former']> }) {
  const { id, version, breaks } = former
  const { t } = useLingui()
  if (breaks.length === 0)
    return (
      <p>
        <StateBadge kind="good" text={t`Exports kept`} />{' '}
        <Trans>
          Everything that version{' '}
          <Link to="/dashboard/maple/applets/$id" params={{ id }}>
            {version}
          </Link>{' '}
          exports is still there.
        </Trans>
      </p>
    )
  return (
    <div>
      <p>
        <StateBadge kind="bad" text={t`Exports broken`} />{' '}
        <Trans>
          Packages that import version{' '}
          <Link to="/dashboard/maple/applets/$id" params={{ id }}>
            {version}
          </Link>{' '}
          do not fit this one. Raise the major version, or keep what was exported:
        </Trans>
      </p>
      <Rows>
        {breaks.map(({ message }) => (
          <li key={message}>{message}</li>
        ))}
      </Rows>
    </div>
  )
}
