import type { DeviceHandler } from '@grove/contract/maple/program/device-handler'
import { Trans, useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '../../../../ui/link/link.tsx'
import { Columns } from '../../../../ui/page/columns.tsx'
import { PageHeader } from '../../../../ui/page/page-header.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { PublishedVersion, type Published } from '../publish/published-version.tsx'
import { handlerQuery } from './device-handler.api.ts'
import styles from './device-handler.module.css'
import { HandlerActions } from './handler-actions.tsx'
import { HandlerEditor } from './handler-editor.tsx'
import { HandlerVersions } from './handler-versions.tsx'
import { TrySection } from './try-section.tsx'
import { useHandlerDraft } from './use-handler-draft.ts'

/** A device handler: its code and tests, a trial with a payload, and its versions. */
export function DeviceHandlerPage({ id }: { id: string }) {
  const { data: handler } = useSuspenseQuery(handlerQuery(id))
  const draft = useHandlerDraft(handler)
  return (
    <article className={styles.page}>
      <PageHeader
        title={handler.name}
        description={handler.note || <Version {...handler} />}
        action={<HandlerActions handler={handler} isSaved={draft.isSaved} />}
      />
      <Columns
        aside={
          <>
            <TrySection handler={handler} draft={draft} />
            <Products handler={handler} />
            <HandlerVersions handler={handler} />
          </>
        }
      >
        <HandlerEditor handler={handler} draft={draft} />
      </Columns>
    </article>
  )
}

const Version = (published: Published) => (
  <PublishedVersion {...published} none={<Trans>Not published yet.</Trans>} />
)

/** The service provider whose devices use it. */
function Products({ handler: { products } }: { handler: DeviceHandler }) {
  const { t } = useLingui()
  return (
    <Section title={t`Products`}>
      {products.length === 0 ? (
        <p className="muted">
          <Trans>No product uses it yet. Choose it in the form of a product.</Trans>
        </p>
      ) : (
        <ul className={styles.list}>
          {products.map(({ id, name }) => (
            <li key={id}>
              <Link to="/dashboard/maple/products/$id" params={{ id }} preload={false}>
                <bdi>{name}</bdi>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
