/** The overview counts the devices registered on each of this many days, today included (UTC). */
export const growthDays = 30

/** The overview counts this many accounts and jobs at most. */
export const aboutCountLimit = 10_000

/**
 * Why Grove is not connected to the broker of MQTT_URL: it does not answer, it refuses the account or
 * its subscriptions, or no gateway runs that would connect.
 */
export const brokerProblems = ['unreachable', 'refused', 'no_gateway'] as const
export type BrokerProblem = (typeof brokerProblems)[number]
