/** The values of a call's profile that a test chooses. */
type Headers = Readonly<Record<string, string>>

/** A CDR post in JSON, as the engine's module writes it, of the leg whose end this event reports. */
export function postOfEvent(headers: Headers): object {
  const variables = Object.entries(headers)
    .filter(([name]) => name.startsWith('variable_'))
    .map(([name, value]) => [name.slice('variable_'.length), value])
  const otherType = headers['Other-Type']
  return {
    'core-uuid': headers['Core-UUID'],
    switchname: 'fs1',
    channel_data: { state: 'CS_REPORTING', direction: headers['Call-Direction'] },
    variables: { uuid: headers['Unique-ID'], ...Object.fromEntries(variables) },
    callflow: [
      {
        dialplan: 'XML',
        caller_profile: {
          caller_id_name: headers['Caller-Caller-ID-Name'],
          caller_id_number: headers['Caller-Caller-ID-Number'],
          network_addr: headers['Caller-Network-Addr'] ?? '',
          destination_number: headers['Caller-Destination-Number'],
          uuid: headers['Unique-ID'],
          source: headers['Caller-Source'],
          context: headers['Caller-Context'],
          ...(otherType === undefined
            ? {}
            : { [otherType]: { [`${otherType}_caller_profiles`]: [{ uuid: headers['Other-Leg-Unique-ID'] }] } }),
        },
        times: { created_time: headers['Caller-Channel-Created-Time'] },
      },
    ],
  }
}
