/** A variable that a server reads. `npm run settings` writes the table of the operator guide. */
export interface Setting {
  /** The behaviour without it; omitted if there is no default. */
  default?: string
  /** In Markdown. */
  about: string
  /** Can also be read from the file named by `<name>_FILE`. */
  isSecret?: true
}

/** Every variable by name, grouped by topic. A test compares it with what the code reads. */
export const settings = {
  GROVE_ENV: {
    default: 'local',
    about:
      '`production` refuses what is safe on one’s own machine alone: sample accounts, a missing secret, an address without https',
  },
  GROVE_SERVICES: {
    default: 'auth,cedar,maple,gateway,console',
    about: 'What this process runs',
  },
  GROVE_ROLES: {
    default: '`web,gateway,runner`',
    about:
      'What it does of them: `web` serves calls and the console, `gateway` takes devices, `runner` runs jobs and cloud handlers ([processes by role](operations/scale.md))',
  },
  GROVE_HOST: {
    default: '127.0.0.1',
    about: 'The address to listen on; `0.0.0.0` is every network of the machine',
  },
  GROVE_PORT: { default: '3000', about: 'The port to listen on' },
  GROVE_CONSOLE_URL: {
    default: 'this machine’s own',
    about:
      'The console as people reach it, such as `https://grove.example.com`: needed for mailed links and external login elsewhere',
  },
  GROVE_HOSTS: {
    about:
      'Names of this server besides that of `GROVE_CONSOLE_URL`, such as `api.example.com,grove.internal`; requests for others get 421',
  },
  GROVE_TRUST_PROXY: {
    default: 'off',
    about:
      '`on` behind a proxy: take the client’s address from it; with a number, such as `2`, from the first of so many, one behind another, each of which adds to `X-Forwarded-For`',
  },
  GROVE_DRAIN_SECONDS: {
    default: '`0` locally, `5` elsewhere',
    about:
      'From the first signal to stop, when `/readyz` fails, until connections are refused: longer than the balancer takes to notice',
  },
  GROVE_ALLOWED_ORIGINS: {
    about: 'Origins of web applications elsewhere that call this server from a browser',
  },
  GROVE_LOG: {
    default: '`warn` locally, `info` in production',
    about: 'The least severity of log lines, which are JSON',
  },
  GROVE_METRICS_TOKEN: {
    about:
      'Opens `/metrics` beyond this machine ([alarms](security/alarms.md)); 16 characters or more',
    isSecret: true,
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    about:
      'A collector of OpenTelemetry, such as `http://localhost:4318`: [traces](operations/watch.md#traces) go there',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    about: 'The same for traces alone, with the path',
  },
  OTEL_SDK_DISABLED: { default: '`false`', about: '`true` sends no traces' },
  GROVE_DOCS: {
    default: '`on` locally',
    about: 'The page at `/api/docs`; `/api/openapi.json` is always there',
  },

  GROVE_DATA: {
    default: './.grove',
    about: 'The folder of the embedded database, files, mail and keys',
  },
  DATABASE_URL: {
    about: 'PostgreSQL 15 or newer instead of the embedded database',
    isSecret: true,
  },
  DATABASE_DIRECT_URL: {
    about: 'The same database [past a pooler](operations/scale.md#pgbouncer) at `DATABASE_URL`',
    isSecret: true,
  },
  DATABASE_READ_URL: {
    about:
      '[A streaming replica](operations/scale.md#a-replica-for-reads) for lists, charts and exports',
    isSecret: true,
  },
  GROVE_READ_LAG_SECONDS: {
    default: '10',
    about: 'A replica that is further behind takes no reads',
  },
  TELEMETRY_URL: {
    default: 'the database',
    about: 'Another PostgreSQL for [what devices measure](operations/scale.md#measurements-apart)',
    isSecret: true,
  },
  NATS_URL: {
    about:
      '[NATS with JetStream](operations/scale.md#a-stream-before-the-database), where messages of devices wait for the database',
    isSecret: true,
  },
  GROVE_NATS_REPLICAS: {
    default: '1',
    about: 'How many NATS servers store a message before the device is told so; 3 in a cluster',
  },
  GROVE_NATS_GB: {
    default: '4',
    about: 'How much may wait there, in GiB; once it is full, devices are told to try again later',
  },
  GROVE_DATABASE_CONNECTIONS: {
    default: '10',
    about: 'Connections of a process to PostgreSQL, and one more for notices',
  },
  GROVE_DEVICE_DATABASE_CONNECTIONS: {
    default: '10',
    about: 'Those that a gateway has besides, for its devices',
  },
  GROVE_MIGRATE: {
    default: '`start`',
    about:
      '`check` has a start refuse where [migrations](#upgrade) are pending, instead of applying them',
  },
  OBJECTS_URL: {
    default: 'the folder `objects` of the data',
    about: '[An S3 bucket](../README.md#files-in-a-bucket) for packages and images',
    isSecret: true,
  },
  GROVE_BACKUP_FOLDER: {
    about: 'A folder for [backups](operations/backup.md) that Grove makes by itself',
  },
  GROVE_BACKUP_HOURS: { default: '24', about: 'Hours from one backup to the next' },
  GROVE_BACKUP_KEEP: { default: '7', about: 'Backups that stay in the folder' },
  GROVE_SECRET: {
    default: 'made once, locally',
    about:
      '32 random bytes (`openssl rand -hex 32`) that seal signing keys in the database; the same in every process',
    isSecret: true,
  },
  GROVE_VAULT_KEY: {
    default: 'made once, in the data folder',
    about: '[Keys that encrypt those of secure elements](keys.md)',
  },
  GROVE_VAULT_KEY_FILE: {
    default: 'the file `vault-keys` of the data',
    about:
      'The file with these keys; one of the two is needed in production on PostgreSQL. It is read at every use',
  },
  PKCS11_MODULE: { about: 'The PKCS#11 library of [an HSM](hsm.md), which turns it on' },
  PKCS11_TOKEN: { about: 'The label of its token' },
  PKCS11_PIN: { about: 'The PIN of the token’s user' },
  PKCS11_PIN_FILE: { about: 'The file with it, read whenever the HSM is opened' },

  GROVE_FIRST_ADMIN: {
    about:
      'The email address of who administers a Grove that nobody administers yet. Without the password the start prints a link with which they choose it',
  },
  GROVE_FIRST_ADMIN_PASSWORD: { about: 'Their password', isSecret: true },
  GROVE_SAMPLE: {
    default: '`on` on this machine',
    about: 'The sample workspace, whose password is public',
  },
  GROVE_SELF_SERVICE_DEVELOPERS: {
    default: '`on` locally',
    about: 'Whether anyone may sign up as a developer',
  },
  GROVE_SELF_SERVICE_PROVIDERS: {
    default: '`3` locally, `0` in production',
    about:
      'How many providers a developer may create and own; with `0`, administrators create them',
  },
  GROVE_BREACHED_PASSWORDS_URL: {
    about:
      'Refuses new passwords that have been in a breach, such as `https://api.pwnedpasswords.com/range`',
  },
  GROVE_OPENID_PROVIDERS: {
    about:
      'JSON: `[{"id":"example","name":"Example","issuer":"https://id.example.com","clientId":"…","clientSecret":"…"}]`',
    isSecret: true,
  },
  GROVE_STAGE: {
    default: '`local`, in production `production`',
    about: 'The name of the stage that the console shows',
  },
  GROVE_REALM: { default: 'grove', about: 'The authentication realm: `provider` in its calls' },
  MAIL_URL: {
    default: 'the folder `mail` of the data',
    about: '`smtp://user:password@host:587`; production without it sends no mail',
    isSecret: true,
  },
  MAIL_FROM: { default: 'Grove <no-reply@grove.test>', about: 'The sender of mail' },

  GROVE_AUTH_API_URL: { about: 'An authentication service elsewhere, as browsers reach it' },
  GROVE_CEDAR_API_URL: { about: 'A Cedar elsewhere, as browsers reach it' },
  GROVE_MAPLE_API_URL: { about: 'A Maple elsewhere, as browsers reach it' },
  GROVE_AUTH_TOKENS: {
    default: 'grove',
    about:
      '`foreign` if access tokens come from [another service than Grove’s](../README.md#a-platform-of-your-own)',
  },
  GROVE_AUTH_JWKS_URL: {
    about: 'Where the keys are that sign access tokens, if no service of this process signs them',
  },
  GROVE_AUTH_PUBLIC_KEY: { about: 'The only such key in their place, as PEM' },
  GROVE_AUTH_ISSUER: {
    default: '`grove` for tokens of Grove’s',
    about: 'The issuer that tokens must have',
  },
  GROVE_AUTH_AUDIENCE: {
    default: '`grove` for tokens of Grove’s',
    about: 'The audience that tokens must have',
  },
  GROVE_AUTH_ROLES_CLAIM: {
    about: 'Where a foreign token has its roles, such as `realm_access.roles`',
  },
  GROVE_AUTH_DASHBOARD_ROLES: {
    about:
      'The roles of foreign tokens that are developers, such as `acme-dev,acme-lead`: they open the dashboard; without it `DEVELOPER`',
  },
  GROVE_AUTH_ADMIN_ROLES: {
    about:
      'The roles of foreign tokens that are administrators, such as `acme-admin`; without it `ADMIN`',
  },
  GROVE_AUTH_CLIENT_ID: { about: 'The client that an external login elsewhere is asked with' },
  GROVE_AUTH_CALLBACK_URL: {
    about: 'Its `urls.callback`, if that has an origin of its own',
  },
  CEDAR_URL: { about: 'A Cedar that runs apart, which says who works for which provider' },

  GROVE_CHANGES_PER_MINUTE: {
    default: '600',
    about: 'Changes that one account may make in a minute, in each process; `0` is any number',
  },
  GROVE_LINK_OPENS_PER_MINUTE: {
    default: '3000',
    about: 'Opens of links from one network in a minute, in each process; `0` is any number',
  },
  GROVE_EVENT_DAYS: {
    default: '400',
    about: 'Days until an event of the audit trail is deleted; `0` keeps all',
  },
  GROVE_PROVIDER_MB: {
    default: '2048',
    about:
      'Megabytes that the files of one provider may take, unless an administrator sets a limit of its own',
  },
  GROVE_PREVIEW_URL: {
    default: 'names below `localhost`',
    about:
      'Where previews of packages run. They are the code of others: elsewhere give them a registrable domain of their own, best with a name a version, such as `https://*.grove-preview.example`, and send it to the second port. Without it previews are off beyond this machine',
  },
  GROVE_PREVIEW_PORT: {
    default: '`3001`, or any free one',
    about: 'The second port, which serves previews alone',
  },
  GROVE_APP_LINK: {
    about:
      'Opens an app in your host app from [the page of its link](links.md#the-public-page), such as `harbour://open/{linkId}`',
  },
  GROVE_APP_INSTALL: {
    about: 'Where that app is installed from, such as `https://harbour.example.com/get`',
  },
  GROVE_FCM_ACCOUNT: {
    about:
      'Sends notifications through FCM: the JSON of a service account, or the path of its file',
  },
  GROVE_FCM_URL: { about: 'Another server that speaks FCM v1' },
  GROVE_PUSH_WEBHOOK_URL: { about: 'Sends notifications to a server of your own instead' },
  GROVE_PUSH_WEBHOOK_SECRET: {
    about: 'Signs [them](#notifications); 32 characters or more',
    isSecret: true,
  },
  GROVE_PUSH_CONNECTIONS: {
    default: '32',
    about: 'Requests at once to the transport of notifications, in each process',
  },
  GROVE_EGRESS_ALLOW: {
    about:
      'Addresses with ports that cloud handlers may call besides public ones at 80 and 443, such as `10.0.0.7:8080`',
  },

  GROVE_MQTT_PORT: {
    about: 'Where devices reach the gateway by [MQTT](device-protocol.md#by-mqtt)',
  },
  GROVE_MQTT_HOST: { default: 'this machine', about: 'The address of that port' },
  GROVE_DEVICE_TLS_PORT: {
    about:
      'Where devices reach the gateway by [TLS](device-protocol.md#by-tls), with a secret or a certificate',
  },
  GROVE_DEVICE_TLS_HOST: { default: 'this machine', about: 'The address of that port' },
  GROVE_DEVICE_TLS_CERT: {
    about:
      'The file in PEM of the certificate that it shows, with those above it. It is read again when it changes',
  },
  GROVE_DEVICE_TLS_KEY: { about: 'The file in PEM of its key' },
  MQTT_URL: {
    about: '[A broker](broker.md) that devices reach instead of the gateway’s own port',
    isSecret: true,
  },
  GROVE_DEVICE_CONNECTIONS: {
    default: '50000',
    about: 'Connections of devices in one process',
  },
  GROVE_DEVICE_CONNECTIONS_OF_PROVIDER: {
    default: '25000',
    about: 'Those of one service provider in all processes',
  },
  GROVE_DEVICE_ADMISSIONS: { default: '500', about: 'How many are admitted in a second' },
  GROVE_SESSION_IDLE_MINUTES: {
    default: '15',
    about: 'A session with a secure element ends when nobody uses it for so long',
  },
  GROVE_CARD_SECONDS: {
    default: '10',
    about:
      'What a card in a reader or a device may take for a command. Some need more to make keys',
  },
  GROVE_SESSION_DAYS: { default: '90', about: 'Days until the logs of sessions are deleted' },
  GROVE_TELEMETRY_DAYS: { default: '90', about: 'Days until what devices measured is deleted' },
  GROVE_TELEMETRY_HOUR_DAYS: { default: '730', about: 'Days until its hourly values are deleted' },
  GROVE_IMPORT_MB: { default: '4096', about: 'Megabytes of one file of devices' },
} as const satisfies Record<string, Setting>
