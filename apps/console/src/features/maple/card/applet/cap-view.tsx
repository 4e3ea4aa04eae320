import type { Applet } from '@grove/contract/maple/card/applet'
import { aidMeaning } from '@grove/secure-element/aid'
import { Trans, useLingui } from '@lingui/react/macro'
import { Bytes } from '../../../../ui/i18n/bytes.tsx'
import { PanelFacts } from '../../../../ui/panel/panel-facts.tsx'
import { Rows } from '../../../../ui/page/rows.tsx'
import styles from './cap-view.module.css'

/** What a CAP file says about itself. */
export type CapDescription = Pick<
  Applet,
  | 'name'
  | 'packageAid'
  | 'version'
  | 'javaCard'
  | 'format'
  | 'usesIntegers'
  | 'hasExports'
  | 'loadSize'
  | 'applets'
  | 'imports'
  | 'components'
  | 'signatures'
>

/** A package: its identity, its contents and its dependencies. */
export function CapView({ cap }: { cap: CapDescription }) {
  const { t } = useLingui()
  const { applets, imports, signatures } = cap
  return (
    <div className={styles.view}>
      <PanelFacts
        facts={[
          [t`Package`, cap.name],
          [t({ message: 'Version', context: 'of a package' }), cap.version],
          ['AID', <code key="aid">{cap.packageAid}</code>],
          ['Java Card', cap.javaCard ?? t`unknown`],
          [t`Size on the card`, <Bytes key="size" value={cap.loadSize} />],
          [t`Signatures`, signatures.length > 0 ? signatures.join(', ') : t`none`],
          ...(cap.usesIntegers
            ? ([[t`Integers`, t`used; not all cards support them`]] as const)
            : []),
          ...(cap.hasExports ? ([[t`Exports`, t`other packages can import it`]] as const) : []),
        ]}
      />
      <Components components={cap.components} />
      <section>
        <h3>
          <Trans>Applets in the package</Trans>
        </h3>
        {applets.length === 0 ? (
          <p className="muted">
            <Trans>None: it is a library that other packages import.</Trans>
          </p>
        ) : (
          <Rows>
            {applets.map(({ aid, name }) => (
              <li key={aid}>
                {name ?? t`without a name`}
                <code>{aid}</code>
              </li>
            ))}
          </Rows>
        )}
      </section>
      <section>
        <h3>
          <Trans>Imports</Trans>
        </h3>
        <Rows>
          {imports.map(({ aid, major, minor }) => {
            const meaning = aidMeaning(aid)
            const name = meaning?.kind === 'name' ? meaning.text : t`another package`
            return (
              <li key={aid}>
                {name} {major}.{minor}
                <code>{aid}</code>
              </li>
            )
          })}
        </Rows>
      </section>
    </div>
  )
}

/** The components by size: what goes to the card, and what does not. */
function Components({ components }: Pick<CapDescription, 'components'>) {
  const { t } = useLingui()
  const all = components.reduce((sum, { size }) => sum + size, 0)
  const largest = components.toSorted((one, other) => other.size - one.size)
  const staysHere = (name: string) => name === 'Descriptor' || name === 'Debug'
  return (
    <section>
      <h3>
        <Trans>Components</Trans>
      </h3>
      <ul className={styles.components} aria-label={t`Components by size`}>
        {largest.map(({ name, size }) => (
          <li key={name} data-kept={staysHere(name) || undefined}>
            <span>
              {name}
              {staysHere(name) && (
                <small className="muted">
                  {' '}
                  <Trans>not sent to the card</Trans>
                </small>
              )}
            </span>
            <Bytes value={size} />
            <meter value={size} max={all} aria-hidden />
          </li>
        ))}
      </ul>
    </section>
  )
}
