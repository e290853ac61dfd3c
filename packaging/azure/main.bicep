// Tidings on Azure Container Apps, with the content in the tables and the pictures in the blobs of a storage account. docs/azure.md has the commands.
//
// The storage account accepts no keys: the servers sign in by a managed identity, which has the roles for tables and blobs before the first server starts.

targetScope = 'resourceGroup'

@description('The start of the names of all resources: lower-case letters and digits.')
@minLength(3)
@maxLength(11)
param name string = 'tidings'

@description('The region of all resources.')
param location string = resourceGroup().location

@description('The image of Tidings with its registry and a tag, such as myregistry.azurecr.io/tidings:1.0.0.')
param image string

@description('The host of an Azure Container Registry from which the identity pulls the image; it needs the role AcrPull there. Empty: anyone may pull the image.')
param registryServer string = ''

@description('The name of the storage account, unique in Azure: lower-case letters and digits.')
@minLength(3)
@maxLength(24)
param storageAccountName string = '${name}${uniqueString(resourceGroup().id)}'

@description('How the storage account copies the data: in one building, in three zones, or in a second region too.')
@allowed([
  'Standard_LRS'
  'Standard_ZRS'
  'Standard_GRS'
  'Standard_GZRS'
])
param storageSku string = 'Standard_ZRS'

@description('The start of the names of the tables, for several sites in one account: letters and digits. Empty: none.')
param tablePrefix string = ''

@description('The blob container of the pictures.')
param picturesContainer string = 'pictures'

@description('The address of the web site that shows the content, for feeds, the sitemap and canonical addresses. Empty: there are none.')
param siteUrl string = ''

@description('A token with the role admin, of at least 24 characters. Empty: none; create tokens by the command tidings token create.')
@secure()
param editorToken string = ''

@description('Other settings of Tidings, by their environment variables, such as { TIDINGS_CDN_SECONDS: \'60\' }.')
param settings object = {}

@description('Other settings that are secrets, by their environment variables, such as { TIDINGS_CDN_PURGE_TOKEN: \'…\' }.')
@secure()
param secretSettings object = {}

@description('The object id of a user or group in Entra ID who imports, exports and creates tokens with the command. Empty: nobody.')
param operatorId string = ''

@description('The least number of servers. At least 1, so that no reader waits for the start of a server.')
@minValue(1)
param minReplicas int = 1

@description('The greatest number of servers.')
@minValue(1)
@maxValue(100)
param maxReplicas int = 3

@description('Requests in progress on a server beyond which another one is started.')
@minValue(1)
param concurrentRequests int = 100

@description('The processors of a server.')
param cpu string = '0.5'

@description('The memory of a server: twice as many Gi as processors.')
param memory string = '1Gi'

@description('Days for which the logs are kept.')
@minValue(30)
@maxValue(730)
param logDays int = 30

var port = 8080

// Azure's built-in roles.
var dataRoles = [
  {
    name: 'Storage Table Data Contributor'
    id: '0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3'
  }
  {
    name: 'Storage Blob Data Contributor'
    id: 'ba92f5b4-2d11-453d-a403-e96b0029c9fe'
  }
]

var operatorDataRoles = empty(operatorId) ? [] : dataRoles

resource identity 'Microsoft.ManagedIdentity/userAssignedIdentities@2023-01-31' = {
  name: '${name}-identity'
  location: location
}

resource storage 'Microsoft.Storage/storageAccounts@2023-05-01' = {
  name: storageAccountName
  location: location
  kind: 'StorageV2'
  sku: {
    name: storageSku
  }
  properties: {
    accessTier: 'Hot'
    allowBlobPublicAccess: false
    allowSharedKeyAccess: false
    defaultToOAuthAuthentication: true
    minimumTlsVersion: 'TLS1_2'
    supportsHttpsTrafficOnly: true
  }
}

// The server creates its tables here at its first start.
resource tables 'Microsoft.Storage/storageAccounts/tableServices@2023-05-01' = {
  parent: storage
  name: 'default'
}

resource blobs 'Microsoft.Storage/storageAccounts/blobServices@2023-05-01' = {
  parent: storage
  name: 'default'
}

resource pictures 'Microsoft.Storage/storageAccounts/blobServices/containers@2023-05-01' = {
  parent: blobs
  name: picturesContainer
  properties: {
    publicAccess: 'None'
  }
}

resource serverRoles 'Microsoft.Authorization/roleAssignments@2022-04-01' = [for role in dataRoles: {
  name: guid(storage.id, identity.id, role.id)
  scope: storage
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', role.id)
    principalId: identity.properties.principalId
    principalType: 'ServicePrincipal'
  }
}]

resource operatorRoles 'Microsoft.Authorization/roleAssignments@2022-04-01' = [for role in operatorDataRoles: {
  name: guid(storage.id, operatorId, role.id)
  scope: storage
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', role.id)
    principalId: operatorId
  }
}]

resource logs 'Microsoft.OperationalInsights/workspaces@2023-09-01' = {
  name: '${name}-logs'
  location: location
  properties: {
    retentionInDays: logDays
    sku: {
      name: 'PerGB2018'
    }
  }
}

resource appEnvironment 'Microsoft.App/managedEnvironments@2024-03-01' = {
  name: '${name}-environment'
  location: location
  properties: {
    // By the diagnostic settings below, which need no key of the workspace.
    appLogsConfiguration: {
      destination: 'azure-monitor'
    }
  }
}

resource environmentLogs 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: 'logs'
  scope: appEnvironment
  properties: {
    workspaceId: logs.id
    logs: [
      {
        category: 'ContainerAppConsoleLogs'
        enabled: true
      }
      {
        category: 'ContainerAppSystemLogs'
        enabled: true
      }
    ]
  }
}

var ownSettings = [
  {
    name: 'TIDINGS_STORE'
    value: 'azure'
  }
  {
    name: 'TIDINGS_CREATE'
    value: 'true'
  }
  {
    name: 'TIDINGS_ASSETS_STORE'
    value: 'az://${picturesContainer}'
  }
  {
    name: 'TIDINGS_LISTEN'
    value: '0.0.0.0:${port}'
  }
  {
    name: 'TIDINGS_LOG_FORMAT'
    value: 'json'
  }
  // The ingress writes it, and is the only way to the server.
  {
    name: 'TIDINGS_CLIENT_ADDRESS_HEADER'
    value: 'x-forwarded-for'
  }
]

var prefixSetting = [
  {
    name: 'TIDINGS_TABLE_PREFIX'
    value: tablePrefix
  }
]

var siteSetting = [
  {
    name: 'TIDINGS_SITE_URL'
    value: siteUrl
  }
]

var tokenSetting = [
  {
    name: 'TIDINGS_EDITOR_TOKEN'
    secretRef: 'editor-token'
  }
]

// These are known when the resources exist.
var accountSettings = [
  {
    name: 'AZURE_CLIENT_ID'
    value: identity.properties.clientId
  }
  {
    name: 'AZURE_STORAGE_ACCOUNT'
    value: storage.name
  }
  {
    name: 'AZURE_STORAGE_TABLE_ENDPOINT'
    value: storage.properties.primaryEndpoints.table
  }
  {
    name: 'AZURE_STORAGE_BLOB_ENDPOINT'
    value: storage.properties.primaryEndpoints.blob
  }
]

var otherSettings = [for setting in items(settings): {
  name: setting.key
  value: setting.value
}]

var otherSecretSettings = [for setting in items(secretSettings): {
  name: setting.key
  secretRef: toLower(replace(setting.key, '_', '-'))
}]

var tokenSecret = [
  {
    name: 'editor-token'
    value: editorToken
  }
]

var otherSecrets = [for setting in items(secretSettings): {
  name: toLower(replace(setting.key, '_', '-'))
  value: setting.value
}]

resource app 'Microsoft.App/containerApps@2024-03-01' = {
  name: name
  location: location
  dependsOn: [
    serverRoles
    tables
    pictures
    environmentLogs
  ]
  identity: {
    type: 'UserAssigned'
    userAssignedIdentities: {
      '${identity.id}': {}
    }
  }
  properties: {
    environmentId: appEnvironment.id
    configuration: {
      activeRevisionsMode: 'Single'
      ingress: {
        external: true
        allowInsecure: false
        targetPort: port
        transport: 'auto'
      }
      registries: empty(registryServer) ? [] : [
        {
          server: registryServer
          identity: identity.id
        }
      ]
      secrets: concat(empty(editorToken) ? [] : tokenSecret, otherSecrets)
    }
    template: {
      // The server finishes its requests in at most 20 s.
      terminationGracePeriodSeconds: 30
      containers: [
        {
          name: 'tidings'
          image: image
          resources: {
            cpu: json(cpu)
            memory: memory
          }
          env: concat(
            ownSettings,
            accountSettings,
            empty(tablePrefix) ? [] : prefixSetting,
            empty(siteUrl) ? [] : siteSetting,
            empty(editorToken) ? [] : tokenSetting,
            otherSettings,
            otherSecretSettings
          )
          probes: [
            // Up to two minutes: a new role takes some time to become effective.
            {
              type: 'Startup'
              httpGet: {
                path: '/healthz'
                port: port
              }
              periodSeconds: 3
              failureThreshold: 40
            }
            {
              type: 'Liveness'
              httpGet: {
                path: '/healthz'
                port: port
              }
              periodSeconds: 10
              failureThreshold: 3
            }
            {
              type: 'Readiness'
              httpGet: {
                path: '/readyz'
                port: port
              }
              periodSeconds: 5
              timeoutSeconds: 5
              failureThreshold: 3
            }
          ]
        }
      ]
      scale: {
        minReplicas: minReplicas
        maxReplicas: maxReplicas
        rules: [
          {
            name: 'requests'
            http: {
              metadata: {
                concurrentRequests: string(concurrentRequests)
              }
            }
          }
        ]
      }
    }
  }
}

@description('The address of the server: GraphQL is at /graphql.')
output url string = 'https://${app.properties.configuration.ingress.fqdn}'

@description('The storage account, for AZURE_STORAGE_ACCOUNT.')
output storageAccount string = storage.name

@description('The place of the pictures, for TIDINGS_ASSETS_STORE.')
output assets string = 'az://${picturesContainer}'

@description('The principal of the servers, for further roles such as AcrPull.')
output principalId string = identity.properties.principalId

@description('The workspace of the logs, for queries.')
output logWorkspaceId string = logs.properties.customerId
